import { imageCause } from "../../facts/image-failure.ts";

export const imageSignature = imageCause({
  name: "image-signature",
  texts:
    /SignatureValidationFailed|signature (?:validation|verification|required)|Source image rejected/i,
  explain: ({ image, setImage }) => ({
    sentence: `the node's policy refuses the image "${image}": its signature is missing or invalid`,
    fix: [setImage],
  }),
});
