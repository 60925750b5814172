import type { Step, StepObject } from "#/machinery/journey/step.ts";
import { parts, separator, textNames } from "./record-parts.ts";
import { RecordReader } from "./record-reader.ts";
import { type RecordSegment, recordTypes } from "./record-segment.ts";
import { places, type WriteRecord } from "./write-record.ts";

/** What a record says. */
export interface RecordContent {
  readonly of: StepObject;
  /** The uid of the object that this one was made for. */
  readonly owner: string | undefined;
  readonly write?: WriteRecord;
  readonly step?: Step;
}

/** The object of a record, without the rest. */
export function readObject(segment: RecordSegment, offset: number): StepObject {
  return new RecordReader(segment, offset).object();
}

/** Reads a record; undefined if it is damaged, which only a failing disk can cause. */
export function readRecord(segment: RecordSegment, offset: number): RecordContent | undefined {
  try {
    return decode(segment, offset);
  } catch {
    return undefined;
  }
}

function decode(segment: RecordSegment, offset: number): RecordContent {
  const reader = new RecordReader(segment, offset);
  const of = reader.object();
  const owner = reader.owner();
  if (reader.type === recordTypes.write) return { of, owner, write: readWrite(reader, of) };
  const by = reader.known();
  const rest = JSON.parse(reader.text()) as Omit<Step, "of" | "by">;
  return { of, owner, step: { of, ...rest, ...(by === undefined ? {} : { by }) } };
}

function readWrite(reader: RecordReader, of: StepObject): WriteRecord {
  const t = reader.f64();
  const present = reader.u8();
  const { verb = "", groups, ...texts } = readTexts(reader);
  const at = Array.from({ length: places.length }, () => reader.u32());
  return {
    ...{ of, t, verb, ...texts, at },
    ...(groups === undefined ? {} : { groups: groups.split(separator) }),
    ...(present & parts.commit ? { revision: reader.f64(), bytes: reader.u32() } : {}),
    ...(present & parts.queue ? { queue: readQueue(reader) } : {}),
    ...(present & parts.error ? { error: readError(reader) } : {}),
    ...readPlugins(reader),
  };
}

function readTexts(reader: RecordReader): Partial<Record<(typeof textNames)[number], string>> {
  const texts: Partial<Record<(typeof textNames)[number], string>> = {};
  for (const name of textNames) {
    const text = reader.known();
    if (text !== undefined) texts[name] = text;
  }
  return texts;
}

const readQueue = (reader: RecordReader) =>
  [reader.known() ?? "", reader.known() ?? "", reader.u32(), reader.u32()] as const;

function readError(reader: RecordReader) {
  const code = reader.u16();
  const [reason = "", message = ""] = [reader.known(), reader.known()];
  return { code, reason, message };
}

function readPlugins(reader: RecordReader): Pick<WriteRecord, "plugins"> {
  const count = reader.u8();
  if (count === 0) return {};
  const plugins = Array.from({ length: count }, () => {
    const [name = "", phase = "", changed] = [reader.known(), reader.known(), reader.known()];
    const changes = changed === undefined ? [] : changed.split(separator);
    return [name, phase, reader.u32(), changes, reader.u8() === 1] as const;
  });
  return { plugins };
}
