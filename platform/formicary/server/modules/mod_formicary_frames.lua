-- Relays frames between containers unchanged, at a fraction of the cost of other stanzas.
--
-- Prosody would parse a frame's stanza, read each byte of its text several times, and serialise it again. Here,
-- a stanza written exactly as containers write it, in base64, and addressed to another connected component goes
-- directly to the connection of that. Prosody handles everything else: what arrives within another stanza,
-- other addresses or senders, and receivers that are not connected. So the server checks and answers the same
-- with this module as without it.

module:set_global();

local portmanager = require "core.portmanager";

local find, match, sub = string.find, string.match, string.sub;
local getupvalue = debug.getupvalue;
local hosts = prosody.hosts;
local sessions = module:shared("/*/component/sessions");

local OPEN = "<frame xmlns='urn:formicary:frame:2'>";
local CLOSE = "</frame></message>";
local HEAD = "^<message from='([^'<>&]*)' to='([^'<>&]*)' id='f'>" .. OPEN .. "()";
local TEXT = "^[A-z+-9]*=*()"; -- base64, and a few characters without meaning in XML: fast to check
local HEAD_BYTES = 2048;
local LIMIT = math.min(2^19, module:get_option_number("component_stanza_size_limit", 2^19));

-- The parser's counter of unprocessed bytes, which is 0 between two stanzas. It is a local variable of Prosody:
-- if it cannot be found, the parser gets everything.
local COUNTER = "n_outstanding_bytes";
local place;

local function is_between_stanzas(session)
	local feed = session.stream.feed;
	if not place then
		for index = 1, 255 do
			local name = getupvalue(feed, index);
			if name == COUNTER then
				place = index;
				break;
			elseif not name then
				return false;
			end
		end
	end
	local name, bytes = getupvalue(feed, place);
	return name == COUNTER and bytes == 0;
end

-- Return whether incomplete data may still become a frame.
local function may_become_frame(data)
	if #data >= LIMIT then
		return false;
	end
	local _, _, start = match(data, HEAD);
	if start then
		local stop = find(data, "<", start, true);
		local seen = stop and #data - stop + 1;
		return not stop or seen < #CLOSE and sub(CLOSE, 1, seen) == sub(data, stop);
	elseif #data > HEAD_BYTES then
		return false;
	end
	local rest = match(data, "^<message [^<>&\"]*[^<>&\"/]>(.*)$");
	if rest then
		return sub(OPEN, 1, #rest) == rest;
	end
	return find(data, "^<message [^<>&\"]*$") or sub("<message ", 1, #data) == data;
end

local function receiver(name)
	local host = hosts[name];
	local component = host and host.modules.component;
	local session = component and component.session;
	return session and session.type == "component" and session or nil;
end

-- Relay the frames at the start of data; return the rest for the parser.
local function take_frames(session, data)
	local first, position, target = 1, 1, nil; -- frames from `first` on go to `target` together
	while true do
		local from, to, start = match(data, HEAD, position);
		local stop = start and find(data, "<", start, true);
		if not stop or from ~= session.host or sub(data, stop, stop + #CLOSE - 1) ~= CLOSE
		or match(data, TEXT, start) ~= stop or stop + #CLOSE - position > LIMIT then
			break;
		end
		local another = receiver(to);
		if not another then
			break;
		elseif another ~= target then
			if target then
				target.send(sub(data, first, position - 1));
			end
			first, target = position, another;
		end
		position = stop + #CLOSE;
	end
	if target and target.send then
		target.send(sub(data, first, position - 1));
	end
	return sub(data, position);
end

local function guard(service)
	local incoming = service.listener.onincoming;
	function service.listener.onincoming(conn, data, err)
		local session = sessions[conn];
		if data and session and session.type == "component" and is_between_stanzas(session) then
			if session.formicary_held then
				data = session.formicary_held .. data;
				session.formicary_held = nil;
			end
			data = take_frames(session, data);
			if data == "" then
				return;
			elseif may_become_frame(data) then
				session.formicary_held = data;
				return;
			end
		end
		return incoming(conn, data, err);
	end
end

local is_guarded = false;

local function look(service)
	if service and service.name == "component" and not is_guarded then
		is_guarded = true;
		guard(service);
	end
end

module:hook_global("service-added", function (event)
	look(event.service);
end);
look(portmanager.get_service("component"));
