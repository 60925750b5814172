import { oneLine } from "../../base/text.ts";
import { crashCause, restartsText } from "../../facts/crash.ts";

/** Of the group's causes the last: any other end. */
export const crash = crashCause({
  name: "container-crash",
  applies: () => true,
  explain: (found) => {
    const { container, exitCode, log, message, restarts } = found;
    const last = log.at(-1) ?? message.split("\n").at(-1) ?? "";
    const says = last === "" ? "" : `; it says "${oneLine(last, 120)}"`;
    const again = restarts > 0 ? " again and again" : "";
    return {
      sentence: `${container.label} crashes: its program ends with exit code ${exitCode}${again}${restartsText(found)}${says}`,
    };
  },
});
