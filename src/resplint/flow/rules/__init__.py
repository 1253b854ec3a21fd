"""The rules of the value flow: which edges an expression, a call, a member, a type has."""
