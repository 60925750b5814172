import assert from "node:assert/strict";
import { test } from "node:test";
import { type ListPieces, listChunks, noBytes } from "#/machinery/codec/shape/list-pieces.ts";
import { recordedReply } from "./recorded-body.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);
const cut = (text: string, lead = "") => {
  const source = bytes(text);
  return { lead: lead === "" ? noBytes : bytes(lead), source, start: 0, end: source.length };
};

/** Lists as the writers make them: the separator holds the end of one object and the start of the next. */
const lists: Readonly<Record<string, ListPieces>> = {
  "of objects": {
    head: bytes('{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{'),
    items: [cut('"metadata":{"name":"a"}}'), cut('"metadata":{"name":"b"}}')],
    separator: bytes(",{"),
    tail: bytes("]}\n"),
  },
  "of custom objects": {
    head: bytes('{"apiVersion":"a/v1","items":[{'),
    items: [cut('"a":[1,{}]}'), cut('"a":"},{"}')],
    separator: bytes(",{"),
    tail: bytes('],"kind":"List","metadata":{}}\n'),
  },
  "of metadata": {
    head: bytes('{"kind":"L","items":[{"kind":"P","metadata":'),
    items: [cut('{"name":"a"}'), cut('{"name":"b"}')],
    separator: bytes('},{"kind":"P","metadata":'),
    tail: bytes("}]}\n"),
  },
  "of rows": {
    head: bytes('{"kind":"Table","columnDefinitions":[],"rows":['),
    items: [cut('{"m":1}', '{"cells":["a"],"object":'), cut('{"m":2}', '{"cells":[],"object":')],
    separator: bytes("},"),
    tail: bytes("}]}\n"),
  },
  "of nothing": { head: bytes('{"items":['), items: [], separator: noBytes, tail: bytes("]}\n") },
  "with other pieces": {
    head: bytes('{"items":[{"a":'),
    items: [cut("1"), cut("2")],
    separator: bytes('},{"a":'),
    tail: bytes("}]}\n"),
  },
};

for (const [name, list] of Object.entries(lists)) {
  test(`recordedReply() reads a list ${name}`, async () => {
    const whole = JSON.parse(Buffer.concat(listChunks(list)).toString());
    assert.deepEqual(await recordedReply({ type: "list", list }, "application/json"), whole);
  });
}

test("recordedReply() reads a list that is encoded as a whole", async () => {
  const text = bytes('{"items":[1,2]}');
  const list = { head: text, items: [], separator: noBytes, tail: noBytes };
  assert.deepEqual(await recordedReply({ type: "list", list }, "application/json"), {
    items: [1, 2],
  });
});
