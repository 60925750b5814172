import { imageCause } from "../../facts/image-failure.ts";

export const imageDamaged = imageCause({
  name: "image-damaged",
  texts:
    /failed to extract layer|digest mismatch|wrong digest|invalid tar header|unsupported media ?type|mediaType|schema ?1|failed to unpack|failed precondition|failed size validation|unexpected commit digest/i,
  explain: ({ image, setImage }) => ({
    sentence: `the node cannot unpack the image "${image}": it is damaged or in a format that the runtime does not support`,
    fix: [setImage],
  }),
});
