import { readName, readQuestion, recordPlaces } from "#/dns/wire/query.ts";
import { recordTypes } from "#/dns/wire/record.ts";
import { formatIp } from "#/std/net/ip.ts";

/** A reply as text, its records in order of their text. */
export interface DecodedReply {
  readonly rcode: number;
  readonly authoritative: boolean;
  readonly truncated: boolean;
  readonly answers: readonly string[];
  readonly authority: readonly string[];
  readonly additional: readonly string[];
}

const names = new Map<number, string>(Object.entries(recordTypes).map(([name, n]) => [n, name]));

/** Decodes a whole reply. The serial of an SOA is omitted. */
export function decodeReply(message: Buffer): DecodedReply {
  const flags = message.readUInt16BE(2);
  const records: string[] = [];
  let nameAt = readQuestion(message).end;
  for (const place of recordPlaces(message, nameAt)) {
    const type = names.get(place.type) ?? String(place.type);
    const { name } = readName(message, nameAt);
    nameAt = place.end;
    const data = dataText(message, type, place);
    records.push(`${name} ${message.readUInt32BE(place.ttlAt)} ${type} ${data}`);
  }
  const [answers = 0, authority = 0] = [6, 8].map((at) => message.readUInt16BE(at));
  const isOpt = (text: string): boolean => / OPT /.test(text);
  return {
    rcode: flags & 15,
    authoritative: (flags & 0x0400) !== 0,
    truncated: (flags & 0x0200) !== 0,
    answers: records.slice(0, answers).sort(),
    authority: records.slice(answers, answers + authority).sort(),
    additional: records
      .slice(answers + authority)
      .filter((text) => !isOpt(text))
      .sort(),
  };
}

function dataText(
  message: Buffer,
  type: string,
  { dataAt, dataLength }: { dataAt: number; dataLength: number },
): string {
  const data = message.subarray(dataAt, dataAt + dataLength);
  switch (type) {
    case "A":
      return data.join(".");
    case "AAAA":
      return formatIp({ family: 6, value: BigInt(`0x${data.toString("hex")}`) });
    case "SRV": {
      const numbers = [0, 2, 4].map((at) => data.readUInt16BE(at));
      return `${numbers.join(" ")} ${readName(message, dataAt + 6).name}`;
    }
    case "SOA": {
      const primary = readName(message, dataAt);
      const mailbox = readName(message, primary.end);
      const numbers = [4, 8, 12, 16].map((at) => message.readUInt32BE(mailbox.end + at));
      return `${primary.name} ${mailbox.name} ${numbers.join(" ")}`;
    }
    case "TXT":
      return data.toString("latin1", 1);
    case "OPT":
      return "";
    default:
      return readName(message, dataAt).name;
  }
}
