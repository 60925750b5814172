import type { IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { type AwsKeys, escapeUri, signedHeaders } from "#/std/net/aws-signature.ts";
import { request as requestHttp } from "#/std/net/node-http.ts";
import type { Clock } from "#/std/time/clock.ts";
import { CommandFailure } from "../base/command-failure.ts";

interface BucketOptions {
  readonly name: string;
  readonly region: string;
  /** Another server than AWS's: the bucket is then a folder of it. */
  readonly endpoint: string | undefined;
  readonly keys: AwsKeys;
  readonly clock: Clock;
}

interface StoredObject {
  readonly key: string;
  readonly sizeBytes: number;
}

interface S3Request {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** An upload in parts: no object until it is complete. */
interface Upload {
  part(body: Uint8Array): Promise<void>;
  complete(): Promise<void>;
  abort(): Promise<void>;
}

/** Limit of silence of the server (ms). */
const idleMs = 60_000;
/** Limit of a response that is no object (bytes). */
const maxTextBytes = 4 << 20;
/** Attempts of a request that fails on the way or at the server (count), and the pause before the second (ms). */
const maxAttempts = 4;
const pauseMs = 500;

/** A bucket of S3, or of a server that speaks its protocol. */
export class S3Bucket {
  readonly #options: BucketOptions;

  constructor(options: BucketOptions) {
    this.#options = options;
  }

  async put(key: string, body: Uint8Array): Promise<void> {
    await this.#text({ method: "PUT", key, body });
  }

  async remove(key: string): Promise<void> {
    await this.#text({ method: "DELETE", key });
  }

  async *read(key: string): AsyncGenerator<Uint8Array> {
    yield* await this.#send({ method: "GET", key });
  }

  /** All objects whose keys begin with a prefix and have no slash after it. */
  async list(prefix: string): Promise<StoredObject[]> {
    const found: StoredObject[] = [];
    for (let token = ""; ; ) {
      const query = {
        "list-type": "2",
        prefix,
        delimiter: "/",
        ...(token && { "continuation-token": token }),
      };
      const page = await this.#text({ method: "GET", query });
      for (const [, object = ""] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
        found.push({ key: element(object, "Key"), sizeBytes: Number(element(object, "Size")) });
      }
      token = element(page, "NextContinuationToken");
      if (token === "") return found;
    }
  }

  async startUpload(key: string): Promise<Upload> {
    const started = await this.#text({ method: "POST", key, query: { uploads: "" } });
    const uploadId = element(started, "UploadId");
    const tags: string[] = [];
    return {
      part: async (body) => {
        const query = { partNumber: String(tags.length + 1), uploadId };
        const response = await this.#send({ method: "PUT", key, query, body });
        await readText(response);
        tags.push(response.headers.etag ?? "");
      },
      complete: async () => {
        const parts = tags.map(
          (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`,
        );
        const body = Buffer.from(
          `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`,
        );
        const answer = await this.#text({ method: "POST", key, query: { uploadId }, body });
        // S3 may begin to answer before it knows: a failure then comes with status 200.
        const failure = element(answer, "Message");
        if (answer.includes("<Error>")) throw new CommandFailure(`S3 refused: ${failure}`);
      },
      abort: async () => {
        await this.#text({ method: "DELETE", key, query: { uploadId } });
      },
    };
  }

  async #text(request: S3Request): Promise<string> {
    return await readText(await this.#send(request));
  }

  /** Sends a request, again if it fails on the way or the server is not able to serve it. */
  async #send(request: S3Request): Promise<IncomingMessage> {
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await this.#exchange(request);
        const { statusCode = 0 } = response;
        if (statusCode < 300) return response;
        const text = await readText(response);
        if (statusCode < 500 || attempt >= maxAttempts) throw this.#refusal(statusCode, text);
      } catch (error) {
        if (error instanceof CommandFailure) throw error;
        if (attempt >= maxAttempts) {
          throw new CommandFailure(`S3 is not reached: ${(error as Error).message}`);
        }
      }
      await this.#options.clock.sleep(pauseMs * 2 ** (attempt - 1));
    }
  }

  #exchange({ method, key = "", query = {}, body = Buffer.alloc(0) }: S3Request) {
    const url = this.#url(key, query);
    const { keys, region } = this.#options;
    const unsigned = { method, url, headers: {}, body };
    const scope = { now: this.#options.clock.now(), region, service: "s3" };
    const headers = {
      ...signedHeaders(unsigned, keys, scope),
      "content-length": String(body.length),
    };
    const start = url.protocol === "https:" ? requestHttps : requestHttp;
    return new Promise<IncomingMessage>((resolve, reject) => {
      const sent = start(url, { method, headers, timeout: idleMs }, resolve);
      sent.on("timeout", () => sent.destroy(new Error(`no answer for ${idleMs / 1000} s`)));
      sent.on("error", reject);
      sent.end(body);
    });
  }

  /** AWS has a host for each bucket, other servers a folder. */
  #url(key: string, query: Readonly<Record<string, string>>): URL {
    const { name, region, endpoint } = this.#options;
    const base =
      endpoint === undefined
        ? `https://${name}.s3.${region}.amazonaws.com`
        : `${endpoint.replace(/\/$/, "")}/${name}`;
    const pairs = Object.entries(query).map(
      ([field, value]) => `${escapeUri(field)}=${escapeUri(value)}`,
    );
    const search = pairs.length > 0 ? `?${pairs.join("&")}` : "";
    return new URL(`${base}/${key.split("/").map(escapeUri).join("/")}${search}`);
  }

  #refusal(status: number, text: string): CommandFailure {
    const { name } = this.#options;
    const reason = element(text, "Message") || element(text, "Code") || `status ${status}`;
    return new CommandFailure(`S3 refused the bucket "${name}": ${reason}`);
  }
}

/** The text of the first element with a name; empty if there is none. */
function element(xml: string, name: string): string {
  const start = xml.indexOf(`<${name}>`);
  const end = xml.indexOf(`</${name}>`, start);
  if (start < 0 || end < 0) return "";
  return xml
    .slice(start + name.length + 2, end)
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

async function readText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxTextBytes) throw new CommandFailure("S3 answered with more than it should");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
