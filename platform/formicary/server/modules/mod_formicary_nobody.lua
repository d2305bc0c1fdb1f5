-- Answers clients' subscriptions to what has no presence, and limits their contact lists.
--
--   formicary_contacts = 1000 -- the contacts that an account may have on its list (roster)
--
-- Agents of containers have no presence. Without this module, the container would refuse a subscription; but
-- Prosody first records the request in the account's roster, and then the answer, and each time reads and
-- writes the whole file, which takes longer with every contact. So it is refused here, without a record. The
-- same applies to accounts that do not exist.

local jid_split, jid_bare, jid_prep = require "util.jid".split, require "util.jid".bare, require "util.jid".prep;
local user_exists = require "core.usermanager".user_exists;
local st = require "util.stanza";

local hosts = prosody.hosts;

if module:get_host_type() ~= "local" then
	return;
end

local CONTACTS = module:get_option_number("formicary_contacts", 1000);
local ITEM = 4096; -- bytes of one contact
local OF_SUBSCRIPTIONS = {
	subscribe = true, subscribed = true, unsubscribe = true, unsubscribed = true, probe = true,
};

local function is_full(roster)
	local count = 0;
	for _ in pairs(roster) do
		count = count + 1;
	end
	return count > CONTACTS; -- one entry is the roster's own
end

local function refuse(origin, stanza, kind, condition, text)
	origin.send(st.error_reply(stanza, kind, condition, text));
	return true;
end

local function refuse_if_full(event, jid)
	local origin, stanza = event.origin, event.stanza;
	local roster = origin.roster;
	if roster and not roster[jid] and is_full(roster) then
		local text = "the list is full: it may have " .. CONTACTS .. " contacts";
		return refuse(origin, stanza, "wait", "resource-constraint", text);
	end
end

local function on_presence(event)
	local origin, stanza = event.origin, event.stanza;
	local to, kind = stanza.attr.to, stanza.attr.type;
	local node, domain = jid_split(to);
	local host = hosts[domain];
	local jid = jid_bare(to);
	local is_known = origin.roster and origin.roster[jid]; -- recorded before this module was used
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
		return refuse(event.origin, stanza, "modify", "policy-violation", "a contact may take at most " .. ITEM .. " bytes");
	end
	return refuse_if_full(event, jid_prep(item.attr.jid or "") or "");
end, 100);
