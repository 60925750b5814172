/** Values of the machine that a capture was made on. */
export interface Neutral {
  readonly name: string;
  readonly home: string;
  readonly root: string;
  readonly hostname: string;
}

/** A text without names, addresses, paths, sizes and times of one machine; its columns keep their width. */
export function neutralText(text: string, { name, home, root, hostname }: Neutral): string {
  return text
    .replaceAll(home, "~")
    .replaceAll(root, "~/k8ts")
    .replaceAll(`${hostname}-${name}`, "host-demo")
    .replaceAll(name, "demo")
    .replaceAll(hostname, "host")
    .replace(/\b10\.191\.\d+\.\d+/g, "10.191.0.2")
    .replace(/\(\d+\.\d s\)/g, "(0.5 s)")
    .replace(/ +\d+\.\d s$/gm, (shown) => "3.0 s".padStart(shown.length))
    .replace(/\bended \d+ times/g, "ended 2 times")
    .replace(
      /\b(?<level>[IWEF])\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ /g,
      "$<level>0101 12:00:00.000000    1000 ",
    )
    .replace(/\b\d+ CPU, \d+ GiB/g, "4 CPU, 8 GiB")
    .replace(/\b\d+ MiB/g, "120 MiB")
    .replace(/\b\d+ GiB free, \d+ % used/g, "80 GiB free, 20 % used")
    .replace(/\b\d{4}-\d\d-\d\d, in \d+ days/g, "2027-01-01, in 365 days")
    .replace(/sha256:(?!0{64})[0-9a-f]{64}/g, `sha256:${"1a".repeat(32)}`)
    .replace(/\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g, "abcdef.0123456789abcdef");
}
