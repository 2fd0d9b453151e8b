package fleet

import "bytes"

// document cuts the result out of a pod's log, which has both streams of a run: from the first line that is a brace to the last.
// Anything else stays as it is.
func document(data []byte) []byte {
	begin, end := 0, len(data)
	if !bytes.HasPrefix(data, []byte("{\n")) {
		begin = bytes.Index(data, []byte("\n{\n")) + 1
	}
	if !bytes.HasSuffix(data, []byte("\n}")) {
		if at := bytes.LastIndex(data, []byte("\n}\n")); at >= begin {
			end = at + len("\n}\n")
		}
	}
	return data[begin:end]
}
