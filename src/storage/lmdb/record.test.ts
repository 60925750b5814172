import assert from "node:assert/strict";
import test from "node:test";
import { bytes, text } from "../contract/under-test.contract.ts";
import { copyRecordValue, readRecord, recordSize, writeRecord } from "./record.ts";

const fields = {
  key: "/registry/ünïcode/😀",
  modRevision: 2 ** 40 + 1,
  createRevision: 2 ** 33,
  expiresAtMs: 1_900_000_000_000,
};

test("readRecord() reads the record of writeRecord()", () => {
  const value = bytes("the value");
  const buffer = Buffer.alloc(10 + recordSize(fields.key, value));
  const record = writeRecord(buffer, 10, fields, value);
  assert.equal(record.length, buffer.length - 10);
  const found = readRecord(buffer, 10);
  assert.deepEqual(found?.fields, fields);
  assert.equal(text(copyRecordValue(record)), "the value");
});

test("readRecord() refuses a record with any byte changed, or cut off", () => {
  const value = bytes("v");
  const record = writeRecord(Buffer.alloc(recordSize(fields.key, value)), 0, fields, value);
  for (let place = 0; place < record.length; place++) {
    const damaged = Buffer.from(record);
    damaged[place] = (damaged[place] ?? 0) ^ 0x10;
    assert.equal(readRecord(damaged, 0), undefined);
    assert.equal(readRecord(record.subarray(0, place), 0), undefined);
  }
});
