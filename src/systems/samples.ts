/** The examples of the reference and of help texts show one system: this one. */
export { deploymentSamples as samples } from "./deployment/samples.ts";
