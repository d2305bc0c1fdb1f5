-- A Prosody (0.12 or later) at which the containers of one platform meet: the whole configuration.
--
-- Fill in the next five lines, or set the environment variables that they name, and start it with
--     prosody --config THIS-FILE -F
-- What `formicary server config` prints is in here. For a Prosody that serves other domains too, add what
-- that command prints to its configuration instead.

local platform = ENV_FORMICARY_PLATFORM or "lab.example"
local containers = ENV_FORMICARY_CONTAINERS or "c1,c2" -- the names that may connect
local secret_file = ENV_FORMICARY_SECRET_FILE or "/etc/prosody/formicary/secret" -- mode 0600, Prosody's user
local address = ENV_FORMICARY_ADDRESS or "127.0.0.1" -- XEP-0114 has no TLS: no network that others can hear
local port = tonumber(ENV_FORMICARY_PORT or 5347)

data_path = ENV_FORMICARY_DATA or "/var/lib/prosody"
umask = "077"
log = { { levels = { min = "info" }, to = "console", timestamps = true } }

-- Collecting young objects apart from old ones doubles the stanzas per second.
gc = { mode = "generational" }

-- Nagle's algorithm makes 16 ms of a round trip of 0.15; libevent cannot switch it off, epoll can.
network_backend = "epoll"
network_settings = { nagle = false, min_wait = 0 }

-- Large stanzas arrive in few reads: at 10 kB each, 15 times as many per second as with the default.
network_default_read_size = 65536

-- A stanza that is larger makes Prosody close the whole connection: `stanza_limit` of the containers is the same.
component_stanza_size_limit = 4194304
c2s_stanza_size_limit = 4194304
s2s_stanza_size_limit = 4194304

component_interfaces = { address }
component_ports = { port }

-- A second container of the same name is refused. Take "kick_old" if a container that lost its network is to
-- get its place back before Prosody has noticed.
component_conflict_resolve = "kick_new"

-- Containers alone: no ports for accounts ("c2s", which would want "saslauth", "tls" and a certificate), for
-- other servers ("s2s") or for HTTP. With "c2s", add "formicary_share" and "formicary_nobody", which bound what
-- clients use: they are in the package's folder formicary/server/modules, for plugin_paths.
modules_enabled = { "disco", "ping" }
modules_disabled = { "c2s", "s2s", "s2s_auth_certs", "offline" }

VirtualHost(platform)

local file = assert(io.open(secret_file))
local secret = file:read("l")
file:close()
assert(secret and #secret >= 16, secret_file .. " has no secret of at least 16 characters in its first line")

for name in containers:gmatch("[^,%s]+") do
	Component(name .. "." .. platform)
		component_secret = secret
end
