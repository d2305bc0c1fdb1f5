-- Finds the other servers of the federation by the configuration instead of DNS.
--
--   formicary_platform = "lab.example"
--   formicary_peers = { ["c3.lab.example"] = { "198.51.100.2", 5269 } }
--
-- Stanzas to a name of the platform that is not in the list come back at once, without waiting for DNS. All
-- other names are looked up as usual.

module:set_global();

local basic = require "net.resolvers.basic";
local service = require "net.resolvers.service";

local platform = assert(module:get_option_string("formicary_platform"), "formicary_platform is not set");
local peers = module:get_option("formicary_peers", {});
local look_up = service.new;

local nowhere = { last_error = "no server of the federation has this name" };
function nowhere:next(callback)
	callback(nil);
end

local function is_ours(name)
	return name == platform or name:sub(-#platform - 1) == "." .. platform;
end

-- mod_s2s calls this to find a server: once for TLS from the first byte, once for STARTTLS.
function service.new(name, kind, ...)
	if not is_ours(name) then
		return look_up(name, kind, ...);
	end
	local peer = peers[name];
	if peer == nil or kind ~= "xmpp-server" then
		return nowhere;
	end
	return basic.new(peer[1], peer[2], ...);
end

function module.unload()
	service.new = look_up;
end
