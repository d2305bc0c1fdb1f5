"""What a profile holds, and to which group code belongs.

- `profile`: a profile, as it is kept in files
- `groups`: the groups, and the rules by which a stack belongs to one
- `declarations`: the groups that packages declare for their code
- `modules`: which module a file is
"""
