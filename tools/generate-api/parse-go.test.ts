import assert from "node:assert/strict";
import { test } from "node:test";
import { parseGo } from "./parse-go.ts";

const source = `/*
Copyright
*/

package v1

import (
	"k8s.io/apimachinery/pkg/runtime"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kind is a word.
// +enum
type Kind string

const (
	// KindA is a.
	KindA Kind = "A"
	KindB      = Kind("B") // the other
	KindC      = Kind(metav1.Cee)
	Limit      = 3
	Untyped    = "text"
)

const KindD Kind = "D"

type Old = metav1.New

type Empty struct{}

type Func func(string) error

// Box holds things.
// +structType=atomic
type Box struct {
	metav1.TypeMeta \`json:",inline"\`
	/*
		A block comment.
	*/

	// +optional
	// +listType=map
	// +listMapKey=a
	// +listMapKey=b
	Items []*runtime.RawExtension \`json:"items,omitempty" protobuf:"bytes,1,rep,name=items"\`

	A, B map[string]Kind \`json:"ab"\` // both
	Data []byte
}
`;

const META = "k8s.io/apimachinery/pkg/apis/meta/v1";
const HERE = "k8s.io/api/boxes/v1";
const kind = { kind: "name", package: HERE, name: "Kind" } as const;

test("parseGo() reads structs with their tags and markers", () => {
  const box = parseGo(source, HERE).types.find(({ name }) => name === "Box");
  const raw = { kind: "name", package: "k8s.io/apimachinery/pkg/runtime", name: "RawExtension" };
  const ab = {
    embedded: false,
    type: { kind: "map", values: kind },
    tags: new Map([["json", "ab"]]),
    markers: new Map(),
  };
  assert.deepEqual(box, {
    kind: "struct",
    name: "Box",
    markers: new Map([["structType", ["atomic"]]]),
    fields: [
      {
        name: "TypeMeta",
        embedded: true,
        type: { kind: "name", package: META, name: "TypeMeta" },
        tags: new Map([["json", ",inline"]]),
        markers: new Map(),
      },
      {
        name: "Items",
        embedded: false,
        type: { kind: "list", items: { kind: "pointer", to: raw } },
        tags: new Map([
          ["json", "items,omitempty"],
          ["protobuf", "bytes,1,rep,name=items"],
        ]),
        markers: new Map([
          ["optional", [""]],
          ["listType", ["map"]],
          ["listMapKey", ["a", "b"]],
        ]),
      },
      { name: "A", ...ab },
      { name: "B", ...ab },
      {
        name: "Data",
        embedded: false,
        type: { kind: "list", items: { kind: "name", package: "", name: "byte" } },
        tags: new Map(),
        markers: new Map(),
      },
    ],
  });
});

test("parseGo() reads defined types, aliases and empty structs, and skips functions", () => {
  const others = parseGo(source, HERE).types.filter(({ name }) => name !== "Box");
  assert.deepEqual(others, [
    {
      kind: "defined",
      name: "Kind",
      markers: new Map([["enum", [""]]]),
      underlying: { kind: "name", package: "", name: "string" },
    },
    {
      kind: "alias",
      name: "Old",
      markers: new Map(),
      target: { kind: "name", package: META, name: "New" },
    },
    { kind: "struct", name: "Empty", markers: new Map(), fields: [] },
  ]);
});

test("parseGo() reads constants that have a type, in every way to write one", () => {
  assert.deepEqual(parseGo(source, HERE).constants, [
    { name: "KindA", type: kind, value: "A" },
    { name: "KindB", type: kind, value: "B" },
    { name: "KindC", type: kind, value: { kind: "name", package: META, name: "Cee" } },
    { name: "KindD", type: kind, value: "D" },
  ]);
});
