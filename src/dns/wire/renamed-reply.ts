import { type DnsQuery, headerLength, readName, readQuestion, recordPlaces } from "./query.ts";
import { recordTypes } from "./record.ts";

/** Changes a name, which ends with a dot. */
export type NameMapping = (name: string) => string;

interface Renaming {
  /** For names of records. */
  readonly names: readonly NameMapping[];
  /** For names in the data of records. */
  readonly values: readonly NameMapping[];
}

/** The types whose data end with a name, and the number of bytes before it. */
const namesAt: ReadonlyMap<number, number> = new Map([
  [recordTypes.NS, 0],
  [recordTypes.CNAME, 0],
  [recordTypes.PTR, 0],
  [recordTypes.MX, 2],
  [recordTypes.SRV, 6],
  [39, 0],
]);

/**
 * A reply to a changed question as the reply to the original one: with its id and question, and with changed names.
 * Mappings that were found last are applied first.
 */
export function renamedReply(
  reply: Buffer,
  request: Buffer,
  { question }: DnsQuery,
  { names, values }: Renaming,
): Buffer {
  const parts: Buffer[] = [Buffer.from(request.subarray(0, question.end))];
  const head = parts[0] ?? Buffer.alloc(headerLength);
  reply.copy(head, 2, 2, headerLength);
  let nameAt = readQuestion(reply).end;
  for (const place of recordPlaces(reply, nameAt)) {
    const { name } = readName(reply, nameAt);
    const isOpt = place.type === recordTypes.OPT;
    const fixed = Buffer.from(reply.subarray(place.ttlAt - 4, place.dataAt));
    const data = renamedData(reply, place, values);
    fixed.writeUInt16BE(data.length, 8);
    parts.push(encodeName(isOpt ? name : mapped(name, names)), fixed, data);
    nameAt = place.end;
  }
  return Buffer.concat(parts);
}

interface Place {
  readonly type: number;
  readonly dataAt: number;
  readonly dataLength: number;
}

/** The data of a record, without pointers to other parts of the message. */
function renamedData(
  reply: Buffer,
  { type, dataAt, dataLength }: Place,
  values: readonly NameMapping[],
): Buffer {
  if (type === recordTypes.SOA) {
    const primary = readName(reply, dataAt);
    const mailbox = readName(reply, primary.end);
    const numbers = reply.subarray(mailbox.end, dataAt + dataLength);
    return Buffer.concat([encodeName(primary.name), encodeName(mailbox.name), numbers]);
  }
  const before = namesAt.get(type);
  if (before === undefined) return Buffer.from(reply.subarray(dataAt, dataAt + dataLength));
  const { name } = readName(reply, dataAt + before);
  const changed = encodeName(mapped(name, values));
  return Buffer.concat([reply.subarray(dataAt, dataAt + before), changed]);
}

const mapped = (name: string, mappings: readonly NameMapping[]): string =>
  mappings
    .toReversed()
    .reduce((changed, map) => map(changed), `${name}.`)
    .replace(/\.$/, "");

/** A name on the wire; dots inside a label have a backslash. */
function encodeName(name: string): Buffer {
  const labels = name === "" ? [] : (name.match(/(?:[^.\\]|\\.)+/g) ?? []);
  const parts = labels.map((label) => {
    const bytes = Buffer.from(label.replace(/\\(.)/g, "$1"), "latin1").subarray(0, 63);
    return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  });
  return Buffer.concat([...parts, Buffer.from([0])]);
}

/** A request with another question; undefined if the name is too long for a message. */
export function requestWith(
  request: Buffer,
  { question }: DnsQuery,
  { name, type }: { readonly name: string; readonly type: number },
): Buffer | undefined {
  const encoded = encodeName(name.replace(/\.$/, ""));
  if (encoded.length > 255) return undefined;
  const rest = Buffer.from(request.subarray(question.end - 4));
  rest.writeUInt16BE(type, 0);
  return Buffer.concat([request.subarray(0, headerLength), encoded, rest]);
}
