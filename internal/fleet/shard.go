package fleet

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// Shard is one part of a fleet.
type Shard struct {
	Index int `json:"index"` // from 0
	Count int `json:"count"` // how many parts there are
}

// MaxShards is how many parts a fleet may have.
const MaxShards = 10_000

// ParseShard reads i/n, 0 <= i < n, as an Indexed Job numbers its pods.
func ParseShard(text string) (*Shard, error) {
	first, second, ok := strings.Cut(text, "/")
	i, err := strconv.Atoi(first)
	n, more := strconv.Atoi(second)
	if !ok || err != nil || more != nil || n < 1 || n > MaxShards || i < 0 || i >= n {
		return nil, hint.Errorf("write i/n with 0 <= i < n and n at most 10000, such as 0/4: the first of four; in an Indexed Job --shard=$(JOB_COMPLETION_INDEX)/4",
			"%s is no part of a fleet", hint.Quote(text))
	}
	return &Shard{i, n}, nil
}

// String is how it is written.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }
