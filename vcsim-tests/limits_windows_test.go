package vcsimtests

func leaveTerminal() {}

func fillDisk() {}

func execWithoutRoot() {}

func canDropRoot() bool { return false }
