"""A gateway to agents of other FIPA platforms, such as JADE: HTTP, envelopes in XML, ACL in string form.

- `gateway`: the public class, `Gateway`
- `inbound`, `outbound`: messages in, and messages out
- `translation`: between our messages and theirs; `foreign_names` are their agents' names here
- `peers`: addresses of other platforms, and which hosts may send their messages
- `acl_message`: a message, and how it is written as ACL in string form (FIPA00070); `acl_reader` reads it
- `envelope`: envelopes in XML (FIPA00085), and a body of envelope and message (FIPA00084)
"""

CPU_GROUP = "communication"
