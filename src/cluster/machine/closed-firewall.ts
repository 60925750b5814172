import { runProgram } from "#/std/process/run-program.ts";
import type { Progress } from "../base/progress.ts";
import type { ClusterSettings } from "../base/settings.ts";
import {
  type FirewallFacts,
  firewallHints,
  type ListedChains,
  namespaceHints,
} from "./firewall-hints.ts";
import { planNamespace } from "./network-namespace.ts";

/** Prints the rules that a closed firewall of this machine needs. */
export async function reportClosedFirewall(
  progress: Progress,
  settings: ClusterSettings,
): Promise<void> {
  for (const line of await closedFirewallHints(settings)) progress.print(line);
}

/** The rules that a closed firewall of this machine needs; none if it is open. */
export async function closedFirewallHints({
  name,
  networkNamespace,
  role,
  server,
}: ClusterSettings): Promise<string[]> {
  const facts = await readFirewall();
  if (networkNamespace) return namespaceHints(facts, planNamespace(name).link);
  const serverPort = `${new URL(server).port || 443}/tcp`;
  const ports = [...(role === "server" ? [serverPort] : []), "10250/tcp", "8472/udp"];
  return firewallHints(facts, ports);
}

async function readFirewall(): Promise<FirewallFacts> {
  const text = await runProgram("nft", ["-j", "list", "chains"]).catch(() => "");
  const input = await runProgram("iptables", ["-S", "INPUT"]).catch(() => "");
  const empty: ListedChains = { nftables: [] };
  return { chains: text === "" ? empty : (JSON.parse(text) as ListedChains), input };
}
