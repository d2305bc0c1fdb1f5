"""The way to agents of other FIPA platforms, such as JADE: HTTP, envelopes in XML, ACL in string form.

- `gateway`: what users see, `Gateway`
- `inbound`, `outbound`: the way in, and the way out
- `translation`: from our messages to theirs, and back; `foreign_names` are their agents' names here
- `peers`: where other platforms are; `allowed_hosts`: from which hosts their messages may come
- `hosts`: which of their hosts are this one, and which are public
- `acl_reader`, `acl_writer`: ACL in string form (FIPA00070); `acl_message` is what that says
- `envelope`: envelopes in XML (FIPA00085)
- `multipart`: both in one body (FIPA00084)
"""

CPU_GROUP = "communication"
