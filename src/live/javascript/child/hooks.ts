// Loader hooks for the project's own files.
export const placeholder = true;
