import assert from "node:assert/strict";
import { test } from "node:test";
import type { Facts } from "../../src/api/base/facts.ts";
import { checkProtobuf } from "./check-protobuf.ts";
import { parseProto } from "./parse-proto.ts";

const facts: Facts = {
  group: "boxes",
  version: "v1",
  package: "io.k8s.api.boxes.v1",
  kinds: [],
  enums: { Color: ["Red"] },
  lists: { Words: "string" },
  named: { Bag: "{}quantity" },
  aliases: {},
  structs: {
    Box: {
      fields: {
        "...Lid": { number: 1 },
        color: { type: "Color", number: 2 },
        boxes: { type: "[]Box", number: 3 },
        bag: { type: "Bag", number: 4 },
        words: { type: "{}Words", number: 5 },
        free: { type: "string" },
      },
    },
    Lid: { fields: {} },
  },
};

const box = `message Box {
  optional Lid lid = 1;
  optional string color = 2;
  repeated Box boxes = 3;
  map<string, .k8s.io.apimachinery.pkg.api.resource.Quantity> bag = 4;
  map<string, Words> words = 5;
}
message Words {
  repeated string items = 1;
}
message Time {
  optional int64 seconds = 1;
}
`;

const cases: readonly { name: string; proto: string; problems: readonly string[] }[] = [
  { name: "nothing of the same", proto: box, problems: [] },
  {
    name: "another type",
    proto: box.replace("optional string color", "optional int32 color"),
    problems: [
      "boxes/v1 message Box, field 2: optional int32 in the .proto file, optional string in Go",
    ],
  },
  {
    name: "another number",
    proto: box.replace("boxes = 3", "boxes = 6"),
    problems: [
      "boxes/v1 message Box, field 3: undefined in the .proto file, repeated .k8s.io.api.boxes.v1.Box in Go",
      "boxes/v1 message Box, field 6: repeated .k8s.io.api.boxes.v1.Box in the .proto file, undefined in Go",
    ],
  },
  {
    name: "a message that is missing",
    proto: "",
    problems: ["boxes/v1: Box has protobuf numbers, but there is no such message"],
  },
];

for (const { name, proto, problems } of cases) {
  test(`checkProtobuf() reports ${name}`, () => {
    assert.deepEqual(
      checkProtobuf(new Map([["boxes/v1", facts]]), "boxes/v1", parseProto(proto)),
      problems,
    );
  });
}
