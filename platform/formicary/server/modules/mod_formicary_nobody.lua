-- What clients want of nobody is answered at once, and what they keep here is bounded.
--
--   formicary_contacts = 1000 -- that an account may have on its contact list (roster)
--
-- Agents of containers have no presence. A client that asks to see it would be told so by the container; but
-- before, Prosody notes the request in the account's roster, and after, the answer, and for either reads and
-- writes the whole file: the more there are, the longer. So it is said here, and nothing is noted. The same
-- goes for accounts that do not exist.

local jid_split, jid_bare, jid_prep = require "util.jid".split, require "util.jid".bare, require "util.jid".prep;
local user_exists = require "core.usermanager".user_exists;
local st = require "util.stanza";

local hosts = prosody.hosts;

if module:get_host_type() ~= "local" then
	return;
end

local CONTACTS = module:get_option_number("formicary_contacts", 1000);
local ITEM = 4096; -- bytes that one contact may take
local OF_SUBSCRIPTIONS = {
	subscribe = true, subscribed = true, unsubscribe = true, unsubscribed = true, probe = true,
};

local function is_full(roster)
	local count = 0;
	for _ in pairs(roster) do
		count = count + 1;
	end
	return count > CONTACTS; -- one entry is about the roster itself
end

local function refuse(origin, stanza, kind, condition, text)
	origin.send(st.error_reply(stanza, kind, condition, text));
	return true;
end

local function refuse_if_full(event, jid)
	local origin, stanza = event.origin, event.stanza;
	local roster = origin.roster;
	if roster and not roster[jid] and is_full(roster) then
		local text = "there are " .. CONTACTS .. " contacts on the list, and no more are taken";
		return refuse(origin, stanza, "wait", "resource-constraint", text);
	end
end

local function on_presence(event)
	local origin, stanza = event.origin, event.stanza;
	local to, kind = stanza.attr.to, stanza.attr.type;
	local node, domain = jid_split(to);
	local host = hosts[domain];
	local jid = jid_bare(to);
	local is_known = origin.roster and origin.roster[jid]; -- from before this was answered here
	if not host then
		return (kind == "subscribe" or kind == "subscribed") and refuse_if_full(event, jid) or nil;
	elseif host.modules.component and not is_known then
		-- An agent, or a container itself.
	elseif not OF_SUBSCRIPTIONS[kind] then
		return;
	elseif host.type ~= "local" or not node or is_known or user_exists(node, domain) then
		return (kind == "subscribe" or kind == "subscribed") and refuse_if_full(event, jid) or nil;
	end
	prosody.events.fire_event("formicary-nobody", { session = origin });
	if kind == "subscribe" then
		origin.send(st.presence({ type = "unsubscribed", from = jid, to = jid_bare(stanza.attr.from) }));
	end
	return true;
end

for _, address in ipairs({ "full", "bare", "host" }) do
	module:hook("pre-presence/" .. address, on_presence, 100);
end

module:hook("iq/self/jabber:iq:roster:query", function (event)
	local stanza = event.stanza;
	local item = stanza.tags[1].tags[1];
	if stanza.attr.type ~= "set" or not item or item.attr.subscription == "remove" then
		return;
	elseif #tostring(item) > ITEM then
		return refuse(event.origin, stanza, "modify", "policy-violation", "a contact takes at most " .. ITEM .. " bytes");
	end
	return refuse_if_full(event, jid_prep(item.attr.jid or "") or "");
end, 100);
