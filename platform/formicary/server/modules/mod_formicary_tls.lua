-- Opens a second port for components (XEP-0114), with TLS from the first byte.
--
--   formicary_platform = "lab.localhost"
--   formicary_tls_interfaces = { "127.0.0.1" }
--   formicary_tls_ports = { 5348 }
--   formicary_tls_ssl = { certificate = "server.crt", key = "server.key", protocol = "tlsv1_3" }

module:set_global();

local portmanager = require "core.portmanager";

local platform = assert(module:get_option_string("formicary_platform"), "formicary_platform is not set");
local files = module:get_option("formicary_tls_ssl") or {};
local is_open = false;

local function open()
	local plain = portmanager.get_service("component");
	if plain and not is_open then
		is_open = true;
		module:provides("net", {
			name = "formicary_tls";
			private = true;
			encryption = "ssl";
			listener = plain.listener;
			default_port = 5348;
		});
		-- Containers ask (SNI) for the platform's server, even if there is no host of this name.
		for _, _, _, _, active in portmanager.get_active_services():iter("formicary_tls", nil, nil, nil) do
			local server = active.server;
			local context = server.sslctx and server:sslctx();
			if type(context) == "table" then -- Prosody 13
				context:set_sni_host(platform, files.certificate, files.key);
			else
				server.hosts[platform] = server.tls_ctx;
			end
		end
	end
end

-- mod_component is loaded with the first component, usually after this module.
module:hook_global("service-added", function (event)
	if event.name == "component" then
		open();
	end
end);
open();
