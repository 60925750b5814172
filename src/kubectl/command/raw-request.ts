/** Upstream: staging/src/k8s.io/kubectl/pkg/rawhttp/raw.go. */
import { responseError } from "#/client/transport/response-error.ts";
import { openFailure } from "#/std/files/file-errors.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../base/errors.ts";
import { readAll } from "../base/host.ts";
import type { Context } from "./context.ts";

interface RawRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path and query. */
  readonly uri: string;
  /** The source of the body: a file, or "-". */
  readonly filename?: string | undefined;
}

/** Sends a request without changes, and streams the response to the output. */
export async function rawRequest(
  context: Context,
  { method, uri, filename }: RawRequest,
): Promise<void> {
  if (!uri.startsWith("/") && !/^https?:\/\//.test(uri)) {
    throw new CommandError(
      `--raw must be a valid URL path: parse ${goQuote(uri)}: invalid URI for request`,
    );
  }
  const url = new URL(uri, "http://server");
  const body = filename === undefined ? undefined : await bodyOf(context, filename);
  const transport = await context.cluster.transport();
  const request = {
    method,
    path: url.pathname,
    query: url.searchParams,
    headers: {
      accept: "application/json, */*",
      ...(body ? { "content-type": "application/json" } : {}),
    },
    signal: context.signal,
    ...(body ? { body } : {}),
  };
  const { status, headers, chunks } = await transport.stream(request);
  if (status >= 400) {
    const text = (await readAll(chunks)).toString();
    const error = responseError(request, { status, headers, body: parsed(text) });
    if (error) throw error;
  }
  for await (const chunk of chunks) context.out.write(chunk);
}

async function bodyOf(context: Context, filename: string): Promise<Buffer> {
  if (filename === "-") return readAll(context.stdin);
  const { readFile } = await import("node:fs/promises");
  try {
    return await readFile(context.path(filename));
  } catch (error) {
    throw new CommandError(openFailure(filename, error), { cause: error });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
