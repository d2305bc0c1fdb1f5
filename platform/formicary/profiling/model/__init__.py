"""The contents of a profile, and the group that code belongs to.

- `profile`: a profile, as stored in files
- `groups`: the groups, and the rules that assign files, modules and stacks to them
- `declarations`: the groups that packages declare for their code
"""
