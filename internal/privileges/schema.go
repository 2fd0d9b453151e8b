package privileges

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// SchemaID names the schema of a matrix file; nothing is served there.
const SchemaID = "urn:ocp-vsphere-admin:v1:privilege-matrix"

// Schema is the JSON Schema (draft-07) of a matrix file, with which an editor completes and checks it. What goes beyond a shape,
// such as a privilege that is named twice, only [Parse] and [Matrix.Lint] see.
func Schema() []byte {
	type object = map[string]any
	text := func(what string) object { return object{"type": "string", "description": what} }
	word := func(what string, words []string) object { return object{"enum": words, "description": what} }
	list := func(what string, of object) object {
		return object{"type": "array", "items": of, "minItems": 1, "description": what}
	}
	// The names of the fields are those that the parser reads; described has each of them.
	fields := func(what string, names []string, described object, required ...string) object {
		properties := object{}
		for _, name := range names {
			properties[name] = described[name]
		}
		o := object{"type": "object", "description": what, "properties": properties, "additionalProperties": false}
		if len(required) > 0 {
			o["required"] = required
		}
		return o
	}
	conditions := object{"enum": component.Words(Conditions())}
	id := object{"type": "string", "minLength": 1}
	source := text("who says so; $name stands for a text of sources")
	why := text("what the privilege is needed for")
	basis := word("what a row rests on", evidence())
	privilege := fields("an id with what only it has", privilegeFields(), object{
		"id": id, "unknown": object{"type": "boolean", "description": "no vCenter has it: shown, never sent"}, "why": why, "source": source, "evidence": basis,
	}, "id")
	grant := fields("privileges of one scope", grantFields(), object{
		"scope":            word("kind of object", component.Words(Scopes())),
		"propagate":        object{"type": "boolean", "description": "whether the permission reaches everything below the object"},
		"conditions":       list("in which clusters it is needed: one of them is enough. If omitted: always", conditions),
		"grant-conditions": list("where a permission can be set on the object itself. If omitted: conditions", conditions),
		"preflight": fields("a group that openshift-install checks", preflightFields(), object{
			"group": text("its name in the installer"), "description": text("the name of the object in the installer's error"),
		}, preflightFields()...),
		"evidence": basis, "source": source, "why": why,
		"privileges": list("ids as the vSphere API spells them", object{"anyOf": []object{id, privilege}}),
	}, "scope", "propagate", "privileges")
	one := fields("what one component needs", componentFields(), object{
		"upstream": text("what the source calls the component"),
		"stated":   text("how many privileges the source says that it needs, such as ~35"),
		"from":     word("embedded matrix whose rows of this component come first", Names()),
		"like":     word("component of this file whose rows come first", component.Words(component.Names())),
		"grants":   object{"type": "array", "items": grant, "description": "its grants, after those of from or like"},
	})
	of := object{}
	for _, name := range component.Names() {
		of[string(name)] = one
	}
	s := fields("Which privilege each component of OpenShift needs on which kind of vCenter object, and why.", matrixFields(), object{
		"apiVersion": object{"const": apiVersion}, "kind": object{"const": kind},
		"name":        text("what it is called. If omitted: the name of the file"),
		"description": text("what it is for"),
		"source":      text("who says so; stands in for grants without a source"),
		"as-of":       text("the day of its source, 2026-09-18"),
		"releases":    text("releases of OpenShift that it holds for: >=4.18 <5.0"),
		"sources":     object{"type": "object", "additionalProperties": object{"type": "string"}, "description": "texts for $name in a source"},
		"notes":       object{"type": "array", "items": object{"type": "string"}, "description": "sentences for its readers"},
		"ancestors": fields("privileges on the containers above each granted object", ancestorFields(), object{
			"components": list("the components that get them", object{"enum": component.Words(component.Names())}),
			"privileges": list("ids, such as System.Read", id), "why": why, "source": source,
		}, "components", "privileges"),
		"components": object{"type": "object", "properties": of, "additionalProperties": false, "minProperties": 1},
	}, "components")
	s["$schema"], s["$id"], s["title"] = "http://json-schema.org/draft-07/schema#", SchemaID, "Privilege matrix of ocp-vsphere-admin"
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil { // plain values into memory
		panic(fmt.Sprintf("privileges: schema: %v", err))
	}
	return b.Bytes()
}
