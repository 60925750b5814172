import { createHash, timingSafeEqual, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { unauthorized } from "#/machinery/status-error.ts";
import type { ApiServerFlags } from "../flags/index.ts";
import { header } from "../http/exchange.ts";
import type { Registry } from "../registry/registry.ts";
import type { Authenticator } from "./authenticator.ts";
import { inProcess } from "./in-process.ts";

/** The authenticators that the flags ask for, in upstream's order. */
export async function openAuthenticators(
  flags: ApiServerFlags,
  _: Registry,
): Promise<readonly Authenticator[]> {
  const list: Authenticator[] = [inProcess];
  if (flags["client-ca-file"]) list.push(await clientCertificates(flags["client-ca-file"]));
  if (flags["token-auth-file"]) list.push(await staticTokens(flags["token-auth-file"]));
  return list;
}

async function clientCertificates(file: string): Promise<Authenticator> {
  const ca = new X509Certificate(await readFile(file));
  return {
    name: "x509",
    authenticate({ peer }) {
      const [raw] = peer.certificates;
      if (!raw) return undefined;
      const certificate = new X509Certificate(raw);
      if (!certificate.verify(ca.publicKey)) return undefined;
      const subject = certificate.subject.split("\n").map((line) => line.split("="));
      const name = subject.find(([key]) => key === "CN")?.[1] ?? "";
      const groups = subject.flatMap(([key, value = ""]) => (key === "O" ? [value] : []));
      return { name, groups: [...groups, "system:authenticated"] };
    },
  };
}

async function staticTokens(file: string): Promise<Authenticator> {
  const rows = (await readFile(file, "utf8"))
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split(","));
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const users = rows.map(([token = "", name = "", uid = "", groups = ""]) => ({
    digest: digest(token),
    user: {
      name,
      uid,
      groups: [...groups.replaceAll('"', "").split(",").filter(Boolean), "system:authenticated"],
    },
  }));
  return {
    name: "token",
    authenticate(exchange) {
      const [scheme, token] = (header(exchange, "authorization") ?? "").split(" ");
      if (scheme?.toLowerCase() !== "bearer" || !token) return undefined;
      const found = users.find((known) => timingSafeEqual(known.digest, digest(token)));
      if (!found) throw unauthorized("Unauthorized");
      return found.user;
    },
  };
}
