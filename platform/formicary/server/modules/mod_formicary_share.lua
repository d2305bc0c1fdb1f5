-- Limits the processor time of ordinary clients while containers use the server, so that no client delays them.
--
--   formicary_client_share = 0.05 -- of one processor, for each account, while containers are active
--   formicary_client_connections = 512 -- at a time; by default, as many as the limit of open files allows
--
-- Input of clients is handled in small pieces, whose processor time is charged to their accounts, and to one
-- common account before they have logged in. The server stops reading from an account that has used up its
-- share: nothing is lost, and TCP makes the client wait. While containers are idle, clients may use the whole
-- processor. Prosody's mod_limits counts the bytes of each connection, by which ten thousand small requests are
-- few and one large message is much.

module:set_global();

local portmanager = require "core.portmanager";
local timer = require "util.timer";
local monotonic = require "util.time".monotonic;
local st = require "util.stanza";
local jid_bare, jid_host = require "util.jid".bare, require "util.jid".host;
local clock = os.clock; -- processor time of this process

local hosts, bare_sessions, full_sessions = prosody.hosts, prosody.bare_sessions, prosody.full_sessions;

local SHARE = module:get_option_number("formicary_client_share", 0.05);
local FRAME = "<frame xmlns='urn:formicary:"; -- in stanzas between containers
local BUSY = 0.01; -- share of a processor that frames take, at which clients get no more than SHARE
local LOOK = 0.1; -- s between two measurements of how busy containers are
local BURST = 0.1; -- s of processor time that an account can save
local PIECE = 2048; -- bytes of a client's input that are handled at once
local TURN = 0.002; -- s of processor time for one client before it is the others' turn
local SOON = 0.0001; -- s until a client's next turn
local PAUSE = 0.01; -- s between two checks of waiting clients
local UNREAD = 2^20; -- bytes of answers that a client may leave unread until it gets no more
local CONGESTED = 8 * 2^20; -- bytes that a receiver may leave unread until clients can send it no more
local REFUSED = 0.0002; -- s that an account is charged for each refused request, in addition to its processor time
local RESERVE = 256; -- open files reserved for containers, accounts' files and so on

-- The share of a processor that frames between containers take: a mean over half a second.
local busy, needed, looked_at = 0, 0, monotonic();

local function share()
	local now = monotonic();
	local elapsed = now - looked_at;
	if elapsed >= LOOK then
		local weight = math.min(1, elapsed * 2);
		busy = busy * (1 - weight) + needed / elapsed * weight;
		needed, looked_at = 0, now;
	end
	return math.max(SHARE, 1 - busy / BUSY);
end

-- The processor time that each account has left; below 0, its clients wait.
local accounts = {};

local function account_of(session)
	local name = session.type == "c2s" and session.username .. "@" .. session.host or "";
	local now = monotonic();
	local account = accounts[name];
	if not account then
		account = { left = BURST, at = now };
		accounts[name] = account;
	end
	account.left = math.min(BURST, account.left + (now - account.at) * share());
	account.at = now;
	return account;
end

module:add_timer(60, function ()
	local now = monotonic();
	for name, account in pairs(accounts) do
		if account.left + (now - account.at) * SHARE >= BURST then
			accounts[name] = nil;
		end
	end
	return 60;
end);

-- Return how many bytes were sent to a connection and not read yet. Prosody has no function for this; its buffer
-- is a string, a list of strings or, since version 13, an object.
local function unread(conn)
	local buffer = conn and conn.writebuffer;
	if type(buffer) ~= "table" or getmetatable(buffer) then
		return buffer and #buffer or 0;
	end
	local bytes = 0;
	for i = 1, #buffer do
		bytes = bytes + #buffer[i];
	end
	return bytes;
end

-- Clients ------------------------------------------------------------------------------------------------

local clients = module:shared("/*/c2s/sessions");
local held = {}; -- unhandled input of waiting clients, by their connections
local handle; -- Prosody's own handler of input

-- A piece ends after a tag, as expat (2.6 or later) looks again at an incomplete tag only when twice as much
-- data has come.
local function piece_end(data, position)
	return data:find(">", position + PIECE - 1, true) or #data;
end

-- Handle as much as allowed now; return the rest, and whether it may be handled after the others' turn.
local function work(conn, session, data)
	local account, position, spent = account_of(session), 1, 0;
	while position <= #data and account.left > 0 and spent < TURN and unread(conn) < UNREAD do
		-- Before login, a client may start TLS: no unencrypted input must be left over.
		local last = session.type == "c2s" and piece_end(data, position) or #data;
		local before = clock();
		handle(conn, data:sub(position, last));
		local cost = clock() - before;
		account.left, spent, position = account.left - cost, spent + cost, last + 1;
		if clients[conn] ~= session or session.destroyed then
			return nil;
		end
	end
	return position <= #data and data:sub(position) or nil, spent >= TURN and account.left > 0;
end

local is_due, is_due_soon = false, false; -- whether waiting clients are to be checked in PAUSE, or SOON
local looked_after = 0; -- when they were checked last
local look_after_waiting;

local function look_later(soon)
	if soon and not is_due_soon then
		is_due_soon = true;
		timer.add_task(SOON, function ()
			is_due_soon = false;
			look_after_waiting();
		end);
	elseif not soon and not is_due then
		is_due = true;
		timer.add_task(PAUSE, function ()
			is_due = false;
			look_after_waiting();
		end);
	end
end

local function go_on(conn, data)
	local session = clients[conn];
	local rest, soon;
	if session then
		rest, soon = work(conn, session, data);
	end
	if not held[conn] then
		return; -- it has disconnected
	end
	held[conn] = rest;
	if rest then
		look_later(soon);
	elseif session and clients[conn] == session then
		conn:resume();
		if conn.conn and conn.conn:dirty() then -- no event comes for data already read from the socket
			conn:onreadable();
		end
	end
end

function look_after_waiting()
	looked_after = monotonic();
	local waiting = {};
	for conn, data in pairs(held) do
		waiting[conn] = data;
	end
	for conn, data in pairs(waiting) do
		go_on(conn, data);
	end
end

local function on_client_data(conn, data)
	local session = clients[conn];
	if not session or not data then
		return handle(conn, data);
	end
	local rest, soon;
	if held[conn] then
		rest = held[conn] .. data;
	else
		rest, soon = work(conn, session, data);
	end
	held[conn] = rest;
	if rest then
		conn:pause();
		look_later(soon);
	end
end

-- How many clients may be connected, as this process may open only so many files.
local connections, strangers = 0, 0;
local queue, first, last = {}, 1, 0; -- clients that have not logged in, oldest first
local is_stranger = {};
local most;
local refused_at = -math.huge;

local function most_connections()
	local ok, pposix = pcall(require, "util.pposix");
	local known, limit = nil, nil;
	if ok and pposix.getrlimit then
		known, limit = pposix.getrlimit("NOFILE");
	end
	limit = known and tonumber(limit) or 1024;
	return math.max(limit - RESERVE, math.floor(limit / 2));
end
most = module:get_option_number("formicary_client_connections") or most_connections();

local function forget_stranger(conn)
	if is_stranger[conn] then
		is_stranger[conn] = nil;
		strangers = strangers - 1;
	end
end

local function add_stranger(conn)
	last = last + 1;
	queue[last], is_stranger[conn], strangers = conn, last, strangers + 1;
	while first <= last and (strangers > most / 2 or is_stranger[queue[first]] ~= first) do
		local oldest = queue[first];
		local is_one = is_stranger[oldest] == first;
		queue[first], first = nil, first + 1;
		if is_one then
			forget_stranger(oldest);
			local session = clients[oldest];
			if session then
				session:close("resource-constraint");
			end
		end
	end
end

local function guard_clients(listener)
	handle = listener.onincoming;
	local connect, disconnect = listener.onconnect, listener.ondisconnect;
	listener.onincoming = on_client_data;
	function listener.onconnect(conn)
		connections = connections + 1;
		connect(conn);
		local session = clients[conn];
		if session and connections > most then
			if monotonic() - refused_at > 60 then
				refused_at = monotonic();
				module:log("warn", "%d clients are connected, which is the limit: more are refused", connections - 1);
			end
			session:close("resource-constraint");
			return;
		end
		conn:set_mode(PIECE); -- until it has logged in
		add_stranger(conn);
	end
	function listener.ondisconnect(conn, err)
		connections = connections - 1;
		forget_stranger(conn);
		held[conn] = nil;
		return disconnect(conn, err);
	end
end

-- Containers ---------------------------------------------------------------------------------------------

local guarded = false;

local function guard_components(listener)
	local incoming = listener.onincoming;
	function listener.onincoming(conn, data, err)
		local is_frame = data and data:find(FRAME, 1, true);
		local before = clock();
		incoming(conn, data, err);
		if is_frame then
			needed = needed + clock() - before;
		end
		-- While connections always have input, Prosody runs no timers.
		if (is_due or is_due_soon) and monotonic() - looked_after > PAUSE then
			look_after_waiting();
		end
	end
end

local function guard(service)
	if service.name == "c2s" and not handle then
		guard_clients(service.listener);
	elseif service.name == "component" and not guarded then
		guarded = true;
		guard_components(service.listener);
	end
end

module:hook_global("service-added", function (event)
	guard(event.service);
end);
for _, name in ipairs({ "c2s", "component" }) do
	local service = portmanager.get_service(name);
	if service then
		guard(service);
	end
end

-- Answers to clients -----------------------------------------------------------------------------------------

local function is_congested(to)
	local host = hosts[jid_host(to)];
	local component = host and host.modules.component;
	if component then
		return component.session and unread(component.session.conn) > CONGESTED;
	end
	local session = full_sessions[to];
	if session then
		return unread(session.conn) > CONGESTED;
	end
	local account = bare_sessions[jid_bare(to)];
	for _, one in pairs(account and account.sessions or {}) do
		if unread(one.conn) > CONGESTED then
			return true;
		end
	end
	return false;
end

local function refuse_if_congested(event)
	local origin, stanza = event.origin, event.stanza;
	local to, kind = stanza.attr.to, stanza.attr.type;
	if to and is_congested(to) then
		if kind ~= "error" and kind ~= "result" then
			local text = "the receiver has not read earlier messages yet; try again later";
			origin.send(st.error_reply(stanza, "wait", "resource-constraint", text));
		end
		return true;
	end
end

local function charge(session)
	local account = account_of(session);
	account.left = account.left - REFUSED;
end

-- A container had to refuse, which took processor time, too.
local function charge_refused(event)
	local origin, stanza = event.origin, event.stanza;
	local session = full_sessions[stanza.attr.to];
	if session and stanza.attr.type == "error" and origin.type == "component" then
		charge(session);
	end
end

module:hook_global("formicary-nobody", function (event)
	charge(event.session);
end);

function module.add_host(module)
	for _, kind in ipairs({ "message", "iq" }) do
		for _, address in ipairs({ "full", "bare", "host" }) do
			module:hook("pre-" .. kind .. "/" .. address, refuse_if_congested, 100);
		end
		module:hook(kind .. "/full", charge_refused, 100);
	end
	module:hook("authentication-success", function (event)
		local conn = event.session.conn;
		if conn and is_stranger[conn] then
			forget_stranger(conn);
			conn:set_mode(nil);
		end
	end);
end
