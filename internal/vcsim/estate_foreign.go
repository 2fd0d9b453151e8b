package vcsim

func (b *builder) foreign(v *VCenter) error { return nil }
