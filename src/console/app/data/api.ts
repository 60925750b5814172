import { access, authentication, isConnected, user } from "../base/session.ts";

/** Where the API is: the page is one folder below it, whatever is in front. */
const apiRoot = new URL("..", document.baseURI);

/** A response of the API that is an error, with the server's own message. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly reason: string;
  /** The fields that the server names. */
  readonly causes: readonly {
    readonly field?: string;
    readonly message?: string;
    readonly reason?: string;
  }[];

  constructor(status: number, body: unknown) {
    const { message, reason, details } = (typeof body === "object" ? body : {}) as StatusBody;
    super(message ?? (typeof body === "string" && body !== "" ? body : `HTTP ${status}`));
    this.status = status;
    this.reason = reason ?? "";
    this.causes = details?.causes ?? [];
  }
}

interface StatusBody {
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes?: ApiFailure["causes"] };
}

/** The server was not reached. */
export class ConnectionFailure extends Error {}

interface CallOptions {
  readonly method?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  /** An object is sent as JSON. */
  readonly body?: object | string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const apiUrl = (path: string): URL => new URL(path.replace(/^\//, ""), apiRoot);

/** Headers of each request: the user's token, and the sign that our page sends it. */
export function requestHeaders(accept: string): Record<string, string> {
  return { accept, "x-k8ts-console": "1", ...authentication() };
}

/** Sends a request; throws an ApiFailure for an error of the API, a ConnectionFailure if it is not reached. */
export async function send(path: string, options: CallOptions = {}): Promise<Response> {
  const { method = "GET", accept = "application/json", contentType, body, signal } = options;
  const response = await fetch(apiUrl(path), {
    method,
    headers: {
      ...requestHeaders(accept),
      ...options.headers,
      ...(body === undefined ? {} : { "content-type": contentType ?? "application/json" }),
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
    credentials: "same-origin",
    redirect: "error",
  }).catch((error: Error) => {
    if (signal?.aborted) throw error;
    isConnected.value = false;
    throw new ConnectionFailure(error.message);
  });
  if (response.status === 502 && access.value === "proxy") {
    isConnected.value = false;
    throw new ConnectionFailure(((await bodyOf(response)) as StatusBody).message ?? "");
  }
  isConnected.value = true;
  if (response.ok) return response;
  if (response.status === 401) user.value = undefined;
  throw new ApiFailure(response.status, await bodyOf(response));
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The body of a GET as JSON. */
export async function getJson<T>(path: string, options: CallOptions = {}): Promise<T> {
  return (await (await send(path, options)).json()) as T;
}
