/** The content of a sandbox's resolv.conf, in CRI's form. */
export interface DnsConfig {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

/** Reads a resolv.conf: nameservers add up, the last search line counts, later options override. */
export function parseResolvConf(text: string): DnsConfig {
  const servers: string[] = [];
  let searches: string[] = [];
  const options = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [keyword = "", ...words] = line.trim().split(/\s+/);
    if (keyword === "nameserver") {
      const server = words[0];
      if (server === undefined) throw new Error("nameserver list is empty ");
      servers.push(server);
    } else if (keyword === "search") {
      searches = words.filter((word) => word !== ".").map((word) => word.replace(/\.$/, ""));
    } else if (keyword === "options") {
      for (const word of words) options.set(word.split(":")[0] ?? "", word);
    }
  }
  return { servers, searches, options: [...options.values()] };
}
