package privileges

// RoleSet stands for access.RoleSet, which works on matrices and cannot be imported from here: TestMain sets it.
var RoleSet func(*Matrix, RoleSetOptions) []RoleDef
