import { readFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { request as httpRequest } from "#/std/net/node-http.ts";
import { trustOf } from "#/std/tls/trust.ts";
import { TrustingAgent, type TrustingAgentOptions } from "#/std/tls/trusting-agent.ts";
import type { Extender } from "../config/configuration.ts";

/** Sends a body and resolves with the JSON of the response; rejects unless its code is 200. */
export type PostJson = (
  url: string,
  body: object,
  options: { readonly verb: string; readonly timeoutMs: number },
) => Promise<unknown>;

/** Connection options of an extender, with the certificates of its configuration. */
export function postJson({ enableHTTPS, tlsConfig }: Extender): PostJson {
  const agent = new TrustingAgent(tlsOptions(tlsConfig));
  return (url, body, { verb, timeoutMs }) =>
    new Promise((resolve, reject) => {
      const secure = enableHTTPS || url.startsWith("https:");
      const payload = JSON.stringify(body);
      const send = secure ? httpsRequest : httpRequest;
      const headers = {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(payload),
      };
      const signal = AbortSignal.timeout(timeoutMs);
      const call = send(
        url,
        { method: "POST", headers, signal, ...(secure ? { agent } : {}) },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const { statusCode = 0 } = response;
            if (statusCode !== 200) {
              reject(new Error(`failed ${verb} with extender at URL ${url}, code ${statusCode}`));
              return;
            }
            try {
              resolve(JSON.parse(Buffer.concat(chunks).toString()));
            } catch (error) {
              reject(error);
            }
          });
        },
      );
      call.on("error", reject);
      call.end(payload);
    });
}

/** A field of a response, its name in any case, as Go decodes it. */
export function fieldOf<T>(object: unknown, name: string): T | undefined {
  if (typeof object !== "object" || object === null) return undefined;
  const key = Object.keys(object).find((one) => one.toLowerCase() === name.toLowerCase());
  const value = key === undefined ? undefined : (object as Record<string, unknown>)[key];
  // The type is part of the extender protocol.
  return (value ?? undefined) as T | undefined;
}

function tlsOptions(config: Extender["tlsConfig"]): TrustingAgentOptions {
  if (config === undefined) return {};
  const load = (data: string | undefined, file: string | undefined): Buffer | undefined => {
    if (data) return Buffer.from(data, "base64");
    return file ? readFileSync(file) : undefined;
  };
  const ca = load(config.caData, config.caFile);
  const cert = load(config.certData, config.certFile);
  const key = load(config.keyData, config.keyFile);
  return {
    ...(ca ? { trust: trustOf(ca) } : {}),
    ...(cert ? { cert } : {}),
    ...(key ? { key } : {}),
    ...(config.insecure ? { rejectUnauthorized: false } : {}),
    ...(config.serverName ? { servername: config.serverName } : {}),
  };
}
