import { readFile } from "node:fs/promises";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { ByteBlocks } from "./byte-blocks.ts";
import { S3Bucket } from "./s3-bucket.ts";
import { parseSnapshotName, type StoredSnapshot } from "./schedule.ts";
import type { SnapshotTarget } from "./snapshot-target.ts";

/** Size of a part of an upload (bytes): S3 takes 10,000 of at least 5 MiB. A smaller snapshot is one upload. */
const partBytes = 8 << 20;

/** Snapshots in a bucket, at s3://BUCKET/PREFIX?region=…&endpoint=…. */
export async function s3Target(
  place: string,
  credentialsFile: string | undefined,
  clock: Clock = systemClock,
): Promise<SnapshotTarget> {
  const url = parsePlace(place);
  const prefix = decodeURIComponent(url.pathname).replace(/^\/|\/$/g, "");
  const bucket = new S3Bucket({
    name: url.hostname,
    region: url.searchParams.get("region") ?? "us-east-1",
    endpoint: url.searchParams.get("endpoint") ?? undefined,
    keys: await readKeys(credentialsFile),
    clock,
  });
  const keyOf = (name: string): string => (prefix === "" ? name : `${prefix}/${name}`);
  return {
    place,
    write: (name, content) => write(bucket, keyOf(name), content),
    async list() {
      const found = await bucket.list(keyOf(""));
      return found
        .flatMap(({ key, sizeBytes }): StoredSnapshot[] => {
          const parsed = parseSnapshotName(key.slice(keyOf("").length));
          return parsed ? [{ ...parsed, sizeBytes }] : [];
        })
        .sort((a, b) => a.createdMs - b.createdMs);
    },
    read: (name) => bucket.read(keyOf(name)),
    remove: (name) => bucket.remove(keyOf(name)),
  };
}

function parsePlace(place: string): URL {
  const url = URL.canParse(place) ? new URL(place) : undefined;
  const unknown = [...(url?.searchParams.keys() ?? [])].find(
    (name) => name !== "region" && name !== "endpoint",
  );
  const endpoint = url?.searchParams.get("endpoint");
  const isGood = url && url.hostname !== "" && !unknown && (!endpoint || URL.canParse(endpoint));
  if (isGood) return url;
  throw new CommandFailure(`"${place}" is no place: s3://BUCKET/PREFIX?region=REGION&endpoint=URL`);
}

/** The whole object appears at its end: parts of an interrupted upload are no object. */
async function write(
  bucket: S3Bucket,
  key: string,
  content: AsyncIterable<Uint8Array>,
): Promise<number> {
  const blocks = new ByteBlocks(content);
  const first = await blocks.upTo(partBytes);
  if (await blocks.atEnd()) {
    await bucket.put(key, first);
    return first.length;
  }
  const upload = await bucket.startUpload(key);
  try {
    let sizeBytes = 0;
    for (let part = first; part.length > 0; part = await blocks.upTo(partBytes)) {
      await upload.part(part);
      sizeBytes += part.length;
    }
    await upload.complete();
    return sizeBytes;
  } catch (error) {
    await upload.abort().catch(() => undefined);
    throw error;
  }
}

/** The keys of the default profile of a file, or of the environment. */
async function readKeys(file: string | undefined) {
  const values = file ? parseProfile(await readText(file)) : process.env;
  const of = (name: string): string | undefined => values[file ? name : name.toUpperCase()];
  const accessKeyId = of("aws_access_key_id");
  const secretAccessKey = of("aws_secret_access_key");
  const sessionToken = of("aws_session_token");
  if (!accessKeyId || !secretAccessKey) {
    const where = file ?? "the environment";
    throw new CommandFailure(
      `there are no keys for S3 in ${where}: aws_access_key_id and aws_secret_access_key`,
    );
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}

async function readText(file: string): Promise<string> {
  return await readFile(file, "utf8").catch((error: Error) => {
    throw new CommandFailure(`the keys for S3 can't be read: ${error.message}`);
  });
}

/** The values of the section [default], or of a file without sections. */
function parseProfile(text: string): Readonly<Record<string, string | undefined>> {
  const values: [string, string][] = [];
  let section = "default";
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[(.+?)\]\s*$/.exec(line)?.[1];
    if (header !== undefined) section = header.trim();
    const [, name = "", value = ""] = /^\s*([\w.-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (section === "default" && name !== "") values.push([name, value]);
  }
  return Object.fromEntries(values);
}
