import { execFileSync } from "node:child_process";
import { networkInterfaces } from "node:os";

/** The address by which other machines reach this one: the one that its default route sends from. */
export function nodeAddress(): string {
  return routeSource() ?? firstAddress() ?? noAddress();
}

/** The kernel is asked where a packet to the world would come from; nothing is sent. */
function routeSource(): string | undefined {
  try {
    const text = execFileSync("ip", ["-4", "route", "get", "1.1.1.1"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return /\bsrc (\S+)/.exec(text)?.[1];
  } catch {
    return undefined; // There is no route to the world, or no `ip` yet.
  }
}

function firstAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === "IPv4" && !internal)?.address;
}

function noAddress(): never {
  throw new Error(
    "this machine has no address but loopback; give one to an interface, and name it with --node-ip",
  );
}
