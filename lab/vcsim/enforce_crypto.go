package vcsim

import (
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/types"
)

// cryptoNeeds are the privileges for a change of the encryption of a machine, checked on it or on the folder where it will be.
// Source: vSphere Security, Cryptographic Operations Privileges.
func cryptoNeeds(on moref, spec types.BaseCryptoSpec, creating bool) []need {
	var name string
	switch spec.(type) {
	case *types.CryptoSpecEncrypt:
		name = "Encrypt"
		if creating {
			name = "EncryptNew"
		}
	case *types.CryptoSpecDecrypt:
		name = "Decrypt"
	case *types.CryptoSpecShallowRecrypt, *types.CryptoSpecDeepRecrypt:
		name = "Recrypt"
	case *types.CryptoSpecRegister:
		name = "RegisterVM"
	default:
		return nil
	}
	return []need{{on, "Cryptographer." + name}}
}

// hostNeeds is what it takes to turn on the encryption mode of the host that gets an encrypted machine: of the one that is
// named, or else on the cluster of the pool. The hosts of an estate have it off, and keep it so.
func (x *access) hostNeeds(host, pool *moref) []need {
	switch {
	case host != nil:
		return []need{{*host, "Cryptographer.RegisterHost"}}
	case pool == nil:
		return nil
	}
	at := *pool
	for range depthLimit {
		if strings.HasSuffix(at.Type, "ComputeResource") {
			return []need{{at, "Cryptographer.RegisterHost"}}
		}
		n, ok := x.tree.place(at)
		if !ok || len(n.parents) == 0 {
			break
		}
		at = n.parents[0]
	}
	return nil
}

// encrypts reports whether a specification makes an encrypted machine.
func encrypts(config *types.VirtualMachineConfigSpec) bool {
	if config == nil {
		return false
	}
	_, ok := config.Crypto.(*types.CryptoSpecEncrypt)
	return ok
}

// keyOption carries the key of an encrypted machine to its clone, whose options it leaves at once: the simulator's clones have none.
const keyOption = "vcsim.keyId"

// inheritKey has a clone encrypted with the key of its source.
func inheritKey(config *types.VirtualMachineConfigSpec, source *types.VirtualMachineConfigInfo) {
	key := source.KeyId
	if spec, ok := config.Crypto.(*types.CryptoSpecEncrypt); ok {
		key = &spec.CryptoKeyId
	}
	if key != nil {
		config.ExtraConfig = append(config.ExtraConfig, &types.OptionValue{Key: keyOption, Value: key.KeyId})
	}
}

// takeKey makes the key of the option that of the machine.
func takeKey(config *types.VirtualMachineConfigInfo) {
	id, set := optionOf(config.ExtraConfig, keyOption)
	if !set {
		return
	}
	config.KeyId = keyWith(id)
	config.ExtraConfig = slices.DeleteFunc(slices.Clone(config.ExtraConfig), func(o types.BaseOptionValue) bool {
		return o.GetOptionValue().Key == keyOption
	})
}

// keyWith is a key of the only provider that encrypted machines of an estate have.
func keyWith(id string) *types.CryptoKeyId {
	return &types.CryptoKeyId{KeyId: id, ProviderId: &types.KeyProviderId{Id: "provider"}}
}
