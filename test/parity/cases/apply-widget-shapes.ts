import type { Case } from "../case.ts";
import { by } from "./apply-widget-steps.ts";
import { sequence } from "./sequence.ts";

/** How values of each shape are shared, taken over and removed. */
export const shapes: readonly Case[] = [
  sequence("creates", by("a", { text: "t", number: 1, flag: true, ratio: 1.5 })),
  sequence("is idempotent", by("a", { text: "t" }), by("a", { text: "t" })),
  sequence("changes its own", by("a", { text: "t" }), by("a", { text: "u" })),
  sequence("removes its own", by("a", { text: "t", number: 1 }), by("a", { number: 1 })),
  sequence("conflict", by("a", { text: "t" }), by("b", { text: "u" })),
  sequence("same value is shared", by("a", { text: "t" }), by("b", { text: "t" })),
  sequence("shared value survives", by("a", { text: "t" }), by("b", { text: "t" }), by("a", {})),
  sequence(
    "force takes over",
    by("a", { text: "t", number: 1 }),
    by("b", { text: "u" }, true),
    by("a", { number: 1 }),
  ),
  sequence("force takes all", by("a", { text: "t" }), by("b", { text: "u" }, true)),
  sequence(
    "several conflicts",
    by("a", { text: "t", granular: { x: "1", y: "2" } }),
    by("b", { text: "u", granular: { x: "3", y: "4" } }),
  ),
  sequence(
    "conflicts with two managers",
    by("a", { text: "t" }),
    by("b", { number: 1 }),
    by("c", { text: "u", number: 2 }),
  ),
  sequence(
    "granular map is shared",
    by("a", { granular: { x: "1" } }),
    by("b", { granular: { y: "2" } }),
  ),
  sequence(
    "granular map removal",
    by("a", { granular: { x: "1" } }),
    by("b", { granular: { y: "2" } }),
    by("a", {}),
  ),
  sequence("granular map emptied", by("a", { granular: { x: "1" } }), by("a", { granular: {} })),
  sequence(
    "atomic map conflict",
    by("a", { atomicMap: { x: "1" } }),
    by("b", { atomicMap: { y: "2" } }),
  ),
  sequence(
    "atomic map forced",
    by("a", { atomicMap: { x: "1" } }),
    by("b", { atomicMap: { y: "2" } }, true),
  ),
  sequence(
    "atomic struct conflict",
    by("a", { atomicStruct: { a: "1" } }),
    by("b", { atomicStruct: { b: "1" } }),
  ),
  sequence(
    "atomic struct removed",
    by("a", { atomicStruct: { a: "1", b: "2" }, text: "t" }),
    by("a", { text: "t" }),
  ),
  sequence(
    "struct is shared",
    by("a", { struct: { a: "1" } }),
    by("b", { struct: { b: "2", c: { d: "3" } } }),
  ),
  sequence(
    "struct removed",
    by("a", { struct: { a: "1", c: { d: "2" } } }),
    by("a", { struct: {} }),
  ),
  sequence("set is shared", by("a", { setList: ["x", "y"] }), by("b", { setList: ["y", "z"] })),
  sequence(
    "set removal",
    by("a", { setList: ["x", "y"] }),
    by("b", { setList: ["y", "z"] }),
    by("a", { setList: ["x"] }),
  ),
  sequence("set emptied", by("a", { setList: ["x", "y"] }), by("a", { setList: [] })),
  sequence(
    "set order",
    by("a", { setList: ["x", "y", "z"] }),
    by("a", { setList: ["z", "x", "y"] }),
  ),
  sequence("set duplicates", by("a", { setList: ["x", "x"] })),
  sequence("set of numbers", by("a", { numberSet: [3, 1, 2] }), by("b", { numberSet: [10, 2] })),
  sequence("set of wrong items", by("a", { setList: [{ a: "x" }] })),
  sequence("set with null", by("a", { setList: [null] })),
  sequence("atomic list conflict", by("a", { atomicList: ["x"] }), by("b", { atomicList: ["y"] })),
  sequence("atomic list shared", by("a", { atomicList: ["x"] }), by("b", { atomicList: ["x"] })),
  sequence(
    "map list is shared",
    by("a", { mapList: [{ name: "x", value: 1 }] }),
    by("b", {
      mapList: [
        { name: "x", note: "n" },
        { name: "y", value: 2 },
      ],
    }),
  ),
  sequence(
    "map list conflict",
    by("a", { mapList: [{ name: "x", value: 1 }] }),
    by("b", { mapList: [{ name: "x", value: 2 }] }),
  ),
  sequence(
    "map list removal",
    by("a", {
      mapList: [
        { name: "x", value: 1 },
        { name: "y", value: 2 },
      ],
    }),
    by("a", { mapList: [{ name: "y", value: 2 }] }),
  ),
  sequence(
    "map list item kept for others",
    by("a", { mapList: [{ name: "x", value: 1 }] }),
    by("b", { mapList: [{ name: "x", note: "n" }] }),
    by("a", {}),
  ),
  sequence("map list emptied", by("a", { mapList: [{ name: "x" }] }), by("a", { mapList: [] })),
  sequence("map list duplicates", by("a", { mapList: [{ name: "x" }, { name: "x" }] })),
  sequence("map list without key", by("a", { mapList: [{ value: 1 }] })),
  sequence("map list of scalars", by("a", { mapList: ["x"] })),
  sequence(
    "map list order",
    by("a", { mapList: [{ name: "x" }, { name: "y" }, { name: "z" }] }),
    by("a", { mapList: [{ name: "z" }, { name: "y" }, { name: "x" }] }),
  ),
  sequence(
    "inner map list",
    by("a", { mapList: [{ name: "x", inner: [{ id: 1, text: "1" }] }] }),
    by("b", { mapList: [{ name: "x", inner: [{ id: 2, text: "2" }] }] }),
    by("a", { mapList: [{ name: "x" }] }),
  ),
  sequence(
    "two keys",
    by("a", { twoKeys: [{ port: 1 }, { port: 1, protocol: "UDP" }] }),
    by("b", { twoKeys: [{ port: 1, protocol: "TCP", note: "n" }] }),
  ),
  sequence(
    "two keys with default removed",
    by("a", { twoKeys: [{ port: 1, note: "n" }, { port: 2 }] }),
    by("a", { twoKeys: [{ port: 2 }] }),
  ),
  sequence(
    "any is granular",
    by("a", { any: { x: { y: 1, l: [1] } } }),
    by("b", { any: { x: { z: 2 } } }),
  ),
  sequence("any list is atomic", by("a", { any: { l: [1] } }), by("b", { any: { l: [2] } })),
  sequence(
    "any changes from map to scalar",
    by("a", { any: { x: { y: 1 } } }),
    by("a", { any: { x: 1 } }),
  ),
  sequence(
    "any changes from scalar to map",
    by("a", { any: { x: 1 } }),
    by("a", { any: { x: { y: 1 } } }),
  ),
  sequence(
    "any changes from map to list",
    by("a", { any: { x: { y: 1 } } }),
    by("a", { any: { x: [1] } }),
  ),
  sequence(
    "any empty values",
    by("a", { any: { m: {}, l: [], n: null, s: "" } }),
    by("b", { any: { m: { x: 1 } } }),
  ),
  sequence("any itself a scalar", by("a", { any: 1 }), by("b", { any: 2 })),
  sequence("any itself a list", by("a", { any: [1, 2] }), by("b", { any: [1] })),
  sequence(
    "open struct",
    by("a", { open: { known: "k", more: { x: 1 } } }),
    by("b", { open: { more: { y: 2 } } }),
    by("a", { open: { known: "k" } }),
  ),
  sequence(
    "embedded",
    by("a", {
      embedded: {
        apiVersion: "v1",
        kind: "X",
        metadata: { name: "e", labels: { a: "1" } },
        data: { x: 1 },
      },
    }),
    by("b", { embedded: { apiVersion: "v1", kind: "X", metadata: { labels: { b: "2" } } } }),
  ),
  sequence(
    "map of structs",
    by("a", { mapOfStructs: { x: { a: "1", list: ["p"] } } }),
    by("b", { mapOfStructs: { x: { list: ["p"] }, y: { a: "2" } } }),
    by("a", { mapOfStructs: {} }),
  ),
  sequence("int or string", by("a", { intOrString: 1 }), by("b", { intOrString: "1" })),
  sequence("null value", by("a", { nullable: null, text: "t" }), by("b", { nullable: "x" })),
  sequence("null on a list", by("a", { mapList: [{ name: "x" }] }), by("a", { mapList: null })),
  sequence("null on a struct", by("a", { struct: { a: "1" } }), by("a", { struct: null })),
  sequence(
    "defaulted field",
    by("a", { text: "t" }),
    by("b", { defaulted: "set" }),
    by("b", { defaulted: "other" }),
  ),
];
