package credfile

// Changed reports whether Save has something to write.
func (f *File) Changed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.text != f.saved
}
