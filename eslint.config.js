// What `make lint` asks of the scripts of the page, of the npm package and of the tests, beside their types.

import js from "@eslint/js";

export default [
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024, sourceType: "module" },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-implicit-globals": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      // tsc knows all names.
      "no-undef": "off",
    },
  },
  { ignores: ["build/", "dist/", "node_modules/", ".venv/"] },
];
