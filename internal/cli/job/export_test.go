package job

// Alteration is the key of what a test does to a change before it is made.
type Alteration = alteration

// ChangesMark is the annotation of a command that makes changes.
const ChangesMark = changesMark
