import { formatIp } from "#/std/net/ip.ts";
import { readName, readQuestion, recordPlaces } from "./query.ts";
import { type DnsRecord, recordTypes } from "./record.ts";

/** The addresses and aliases among the answers of a reply, in their order. */
export function readAnswers(reply: Buffer): DnsRecord[] {
  const { end } = readQuestion(reply);
  const records: DnsRecord[] = [];
  let left = reply.readUInt16BE(6);
  let nameAt = end;
  for (const { type, ttlAt, dataAt, dataLength, end: next } of recordPlaces(reply, end)) {
    if (left-- === 0) break;
    const { name } = readName(reply, nameAt);
    nameAt = next;
    const ttl = reply.readUInt32BE(ttlAt);
    if (type === recordTypes.CNAME) {
      records.push({ name, ttl, type: "CNAME", target: readName(reply, dataAt).name });
    } else if (type === recordTypes.A && dataLength === 4) {
      const address = reply.subarray(dataAt, dataAt + 4).join(".");
      records.push({ name, ttl, type: "A", address });
    } else if (type === recordTypes.AAAA && dataLength === 16) {
      const value = BigInt(`0x${reply.toString("hex", dataAt, dataAt + 16)}`);
      records.push({ name, ttl, type: "AAAA", address: formatIp({ family: 6, value }) });
    }
  }
  return records;
}
