package advice

// Ways is the table.
var Ways = ways
