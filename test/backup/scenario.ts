import { readFileSync } from "node:fs";
import { s3Target } from "#/cluster/backup/s3-target.ts";
import { snapshotName } from "#/cluster/backup/schedule.ts";
import { systemClock } from "#/std/time/clock.ts";

/** The bucket of the scenario. */
export const bucket = "k8ts-backups";

/** Snapshots in a bucket, as a user keeps them: what is printed is compared, and so is each request. */
export async function runScenario(endpoint: string, credentials: string): Promise<string[]> {
  const lines: string[] = [];
  const clock = { ...systemClock, now: () => Date.parse("2026-01-02T03:04:05Z") };
  const at = (place: string) => s3Target(`s3://${place}?endpoint=${endpoint}`, credentials, clock);
  const attempt = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    const text = await work().then(JSON.stringify, (error: Error) => error.message);
    lines.push(`${what}: ${text}`);
  };
  const target = await at(`${bucket}/clusters/ä b`);
  const [small, large, other] = [1, 2, 3].map((hour) =>
    snapshotName("test", Date.parse(`2026-01-01T0${hour}:00:00Z`), hour === 2),
  ) as [string, string, string];
  await attempt("an empty place", () => target.list());
  await attempt("a small one", () => target.write(small, chunks(3, 1000)));
  await attempt("one of several parts", () => target.write(large, chunks(300, 64 << 10)));
  await attempt("one that fails", () => target.write(other, failing()));
  await attempt("no other place", async () => (await at(bucket)).list());
  await attempt("the place", () => target.list());
  await attempt("reading", async () => await sizeOf(target.read(large)));
  await attempt("reading what is not there", async () => await sizeOf(target.read(other)));
  await attempt("removing", () => target.remove(small));
  await attempt("the place then", () => target.list());
  await attempt("no bucket", async () => (await at("k8ts-none/x")).list());
  return lines;
}

async function* chunks(count: number, size: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index++) yield Buffer.alloc(size, index);
}

/** Ends in its second part. */
async function* failing(): AsyncGenerator<Uint8Array> {
  yield* chunks(150, 64 << 10);
  throw new Error("the store is damaged");
}

async function sizeOf(content: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const part of content) size += part.length;
  return size;
}

/** A request and its answer. */
export interface Exchange {
  readonly request: {
    readonly method: string;
    readonly url: string;
    /** SHA-256. */
    readonly body: string;
  };
  readonly answer: {
    readonly status: number;
    readonly etag: string;
    /** The text; of an object its size. */
    readonly body: string | number;
  };
}

export interface RecordedScenario {
  readonly lines: readonly string[];
  readonly exchanges: readonly Exchange[];
}

const recordFile = new URL("recorded/s3.json", import.meta.url);

export const readRecord = (): RecordedScenario =>
  JSON.parse(readFileSync(recordFile, "utf8")) as RecordedScenario;

export { recordFile };
