package vcsim

func (b *builder) generated() (Estate, error) { return b.demo() }

func (b *builder) scale(Estate, int) error { return nil }
