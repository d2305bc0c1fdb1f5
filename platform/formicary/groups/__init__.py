"""Groups and roles (MaDKit's agent, group, role): agents meet in groups, and play roles there.

`naming` and `roster` know who plays what, without any input or output; `service` keeps a container's roster
by the directory; `admission` asks gatekeepers, and answers for them; `mailing` sends to groups, and `distributor`
takes what others have sent; `interface` and `subscription` are what agents see.
"""
