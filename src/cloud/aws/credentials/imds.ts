/** Upstream: aws-sdk-go-v2 feature/ec2/imds (version 2 of the service, with tokens). */
import type { Clock } from "#/std/time/clock.ts";
import { type HttpResponse, type Send, SendError } from "../client/send.ts";
import { type Credentials, parseCredentials, parseObject } from "./credentials.ts";

/** Time limit of one request (ms): the service is on the same machine. */
const timeoutMs = 5_000;

const maxAttempts = 3;

/** Life of a token (s): the longest that the service allows. */
const tokenSeconds = 21_600;

/** A token is replaced this long (ms) before its end. */
const tokenMarginMs = 60_000;

interface ImdsOptions {
  readonly send: Send;
  readonly clock: Clock;
  readonly environment: NodeJS.ProcessEnv;
  /** Of [ServiceOverride] with Service = ec2imds; undefined for the environment's or the default. */
  readonly endpoint?: string | undefined;
}

/** The metadata service of EC2: what a machine knows of itself. */
export class InstanceMetadataService {
  readonly #options: ImdsOptions;
  readonly #endpoint: string;
  #token: { readonly value: string; readonly endsAtMs: number } | undefined;

  constructor(options: ImdsOptions) {
    this.#options = options;
    this.#endpoint = (options.endpoint || defaultEndpoint(options.environment)).replace(/\/+$/, "");
  }

  /** A value of the tree meta-data: "instance-id". */
  async metadata(path: string, signal: AbortSignal): Promise<string> {
    return await this.#get("GetMetadata", `/latest/meta-data/${path}`, signal);
  }

  async region(signal: AbortSignal): Promise<string> {
    const path = "/latest/dynamic/instance-identity/document";
    const document = parseObject(await this.#get("GetRegion", path, signal));
    const region = document?.["region"];
    if (typeof region !== "string" || region === "") {
      throw new Error(
        "operation error ec2imds: GetRegion, instance metadata did not return a region",
      );
    }
    return region;
  }

  /** The credentials of the machine's role. */
  async credentials(signal: AbortSignal): Promise<Credentials> {
    const path = "iam/security-credentials/";
    const [role = ""] = (await this.metadata(path, signal)).split("\n");
    if (role === "") throw new Error("no EC2 IMDS role found");
    return parseCredentials(await this.metadata(path + role, signal), `EC2 IMDS role ${role}`);
  }

  async #get(operation: string, path: string, signal: AbortSignal): Promise<string> {
    if (this.#options.environment["AWS_EC2_METADATA_DISABLED"]?.toLowerCase() === "true") {
      throw failure(
        operation,
        'access disabled to EC2 IMDS via client option, or "AWS_EC2_METADATA_DISABLED" environment variable',
      );
    }
    const token = await this.#findToken(signal);
    const headers = token ? { "x-aws-ec2-metadata-token": token } : {};
    const reply = await this.#send("GET", path, headers, signal).catch((error: unknown) => {
      if (!(error instanceof SendError)) throw error;
      throw failure(operation, `request send failed, ${error.message}`, error);
    });
    if (reply.status === 200) return reply.body;
    if (reply.status === 401) this.#token = undefined;
    throw failure(
      operation,
      `http response error StatusCode: ${reply.status}, request to EC2 IMDS failed`,
    );
  }

  /** Undefined where the service has no tokens: it answers without one. */
  async #findToken(signal: AbortSignal): Promise<string | undefined> {
    const { clock } = this.#options;
    if (this.#token && clock.now() < this.#token.endsAtMs - tokenMarginMs) return this.#token.value;
    const headers = { "x-aws-ec2-metadata-token-ttl-seconds": String(tokenSeconds) };
    const reply = await this.#send("PUT", "/latest/api/token", headers, signal).catch(
      (error: unknown) => {
        if (error instanceof SendError) return undefined;
        throw error;
      },
    );
    if (reply?.status !== 200) return undefined;
    this.#token = { value: reply.body.trim(), endsAtMs: clock.now() + tokenSeconds * 1000 };
    return this.#token.value;
  }

  async #send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    const url = new URL(this.#endpoint + path);
    for (let attempt = 1; ; attempt++) {
      try {
        const request = { method, url, headers, body: "", timeoutMs };
        const reply = await this.#options.send(request, signal);
        if (reply.status < 500 || attempt === maxAttempts) return reply;
      } catch (error) {
        if (!(error instanceof SendError) || attempt === maxAttempts) throw error;
      }
    }
  }
}

function defaultEndpoint(environment: NodeJS.ProcessEnv): string {
  const mode = environment["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"]?.toLowerCase();
  const byMode = mode === "ipv6" ? "http://[fd00:ec2::254]" : "http://169.254.169.254";
  return environment["AWS_EC2_METADATA_SERVICE_ENDPOINT"] || byMode;
}

function failure(operation: string, problem: string, cause?: unknown): Error {
  return new Error(`operation error ec2imds: ${operation}, ${problem}`, { cause });
}
