/** What a status means for its reader. */
export type Tone = "good" | "busy" | "bad" | "idle";

const good =
  /^(running|active|ready|bound|available|succeeded|completed?|true|approved(,issued)?|normal|established|healthy)$/i;
const bad =
  /(err|fail|backoff|crash|oom|evicted|invalid|notready|unknown|lost|denied|warning|unschedulable|notfound|^false$|deadline|stuck)/i;
const busy =
  /(pending|creating|terminating|^init|waiting|progress|scheduling|released|suspended|binding)/i;

/** The tone of a word that a component wrote into a status. */
export function toneOf(word: string): Tone {
  const trimmed = word.trim();
  if (good.test(trimmed)) return "good";
  if (bad.test(trimmed)) return "bad";
  return busy.test(trimmed) ? "busy" : "idle";
}

/** The tone of a count such as "2/3". */
export function toneOfCount(text: string): Tone | undefined {
  const [, ready, wanted] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  if (ready === undefined || wanted === undefined) return undefined;
  if (wanted === "0") return "idle";
  return Number(ready) >= Number(wanted) ? "good" : "busy";
}
