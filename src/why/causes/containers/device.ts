import { startCause, startText } from "../../facts/start-failure.ts";

export const device = startCause({
  name: "device-unavailable",
  layer: "node",
  texts: /CDI device|no such device|device plugin|nvidia|unresolvable/i,
  explain: ({ container, text }) => ({
    sentence: `${container.label} cannot start: a device that it needs is not available on the node: ${startText(text)}`,
  }),
});
