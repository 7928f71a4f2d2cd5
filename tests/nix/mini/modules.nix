# evalModules and the types that our modules use, with the meaning that they
# have in nixpkgs: definitions of several modules are merged by the type of
# their option, under mkIf, mkMerge and the priorities of mkDefault and
# mkForce. What is not declared, defined twice or of another type is an error.
lib:
let
  inherit (builtins)
    all
    any
    attrNames
    concatLists
    concatStringsSep
    elem
    filter
    foldl'
    functionArgs
    head
    isAttrs
    isBool
    isFunction
    isInt
    isList
    isPath
    isString
    length
    map
    mapAttrs
    ;
  isType = type: x: isAttrs x && (x._type or "") == type;
  plainPriority = 100;
  defaultPriority = 1500;

  # The definitions in one: each { value, priority }.
  discharge =
    def:
    if isType "if" def.value then
      if def.value.condition then discharge (def // { value = def.value.content; }) else [ ]
    else if isType "merge" def.value then
      concatLists (map (value: discharge (def // { inherit value; })) def.value.contents)
    else if isType "override" def.value then
      discharge {
        value = def.value.content;
        inherit (def.value) priority;
      }
    else
      [ def ];

  # The same without looking at a condition, which may depend on the value of
  # another option: it goes down to every name.
  push =
    def:
    let
      property = wrap: map (d: d // { value = mapAttrs (_: content: wrap // { inherit content; }) d.value; }) (
        push (def // { value = def.value.content; })
      );
    in
    if isType "if" def.value then
      property { _type = "if"; inherit (def.value) condition; }
    else if isType "override" def.value then
      property { _type = "override"; inherit (def.value) priority; }
    else if isType "merge" def.value then
      concatLists (map (value: push (def // { inherit value; })) def.value.contents)
    else
      [ def ];

  strongest =
    defs:
    let
      least = foldl' (p: d: if d.priority < p then d.priority else p) defaultPriority defs;
    in
    filter (d: d.priority == least) defs;

  # The definitions below each name of those that are sets.
  below =
    defs:
    foldl' (
      names: def: names // mapAttrs (name: value: (names.${name} or [ ]) ++ [ (def // { inherit value; }) ]) def.value
    ) { } defs;

  # The value of an option, from its definitions.
  merge =
    path: type: defs:
    let
      left = map (d: d.value) (strongest (concatLists (map discharge defs)));
      wrong = filter (v: !type.check v) left;
    in
    if wrong != [ ] then
      throw "the option ${path} has a value that is not ${type.name}"
    else
      type.merge path left;

  only = path: values: if all (v: v == head values) values then head values else throw "the option ${path} has several values";
  simple = name: check: {
    inherit name check;
    merge = only;
  };

  types = rec {
    bool = simple "true or false" isBool;
    int = simple "an integer" isInt;
    float = simple "a floating number" builtins.isFloat;
    port = simple "a port" (v: isInt v && v >= 0 && v <= 65535);
    str = simple "a string" isString;
    path = simple "a path" (v: isPath v || isString v && builtins.substring 0 1 v == "/" || v ? outPath);
    package = simple "a package" (v: isAttrs v && v ? outPath);
    raw = simple "anything" (_: true);
    enum = words: simple "one of ${concatStringsSep ", " words}" (v: elem v words);
    lines = {
      name = "lines";
      check = isString;
      merge = _: concatStringsSep "\n";
    };
    anything = raw // {
      merge =
        path: values:
        if all isAttrs values && !any (v: v ? outPath) values then
          (attrsOf anything).merge path values
        else
          only path values;
    };
    nullOr = type: {
      name = "null or ${type.name}";
      check = v: v == null || type.check v;
      merge = path: values: if any (v: v == null) values then only path values else type.merge path values;
    };
    listOf = type: {
      name = "a list, each ${type.name}";
      check = isList;
      merge = path: values: map (value: merge "${path}.*" type [ { inherit value; priority = plainPriority; } ]) (concatLists values);
      empty = [ ];
    };
    attrsOf = type: {
      name = "a set, each ${type.name}";
      check = isAttrs;
      # A name whose definitions are all under a false condition is not there.
      merge =
        path: values:
        let
          named = below (map (value: { inherit value; priority = plainPriority; }) values);
          there = filter (n: concatLists (map discharge named.${n}) != [ ]) (attrNames named);
        in
        lib.genAttrs there (n: merge "${path}.${n}" type named.${n});
      empty = { };
    };
    oneOf = choices: {
      name = "one of ${concatStringsSep ", " (map (t: t.name) choices)}";
      check = v: any (t: t.check v) choices;
      merge =
        path: values:
        let
          fit = filter (t: all t.check values) choices;
        in
        if fit == [ ] then throw "the option ${path} has values of several types" else (head fit).merge path values;
    };
    submodule = module: {
      name = "a submodule";
      check = v: isAttrs v || isFunction v;
      merge = path: values: (evaluate path { modules = [ module ] ++ values; }).config;
      empty = { };
    };
  };

  normalise =
    args: module:
    let
      m = if isPath module then import module else module;
      value = if isFunction m then m (if functionArgs m == { } then args else builtins.intersectAttrs (functionArgs m) args // args) else m;
      explicit = value ? config || value ? options;
      unknown = filter (n: !elem n [ "imports" "options" "config" "freeformType" ]) (attrNames value);
    in
    if explicit && unknown != [ ] then
      throw "a module with config has ${head unknown} beside it"
    else
      concatLists (map (normalise args) (value.imports or [ ]))
      ++ [
        {
          options = value.options or { };
          config = if explicit then value.config or { } else removeAttrs value [ "imports" "freeformType" ];
          freeform = value.freeformType or null;
        }
      ];

  evaluate =
    prefix:
    {
      modules,
      specialArgs ? { },
    }:
    let
      parts = concatLists (
        map (normalise (
          {
            inherit lib options;
            config = values;
          }
          // specialArgs
        )) modules
      );
      join =
        path: a: b:
        if isType "option" a || isType "option" b then
          throw "the option ${path} is declared twice"
        else
          a // mapAttrs (n: v: if a ? ${n} then join "${path}.${n}" a.${n} v else v) b;
      options = foldl' (all: part: join prefix all part.options) { } parts;
      freeforms = filter (f: f != null) (map (p: p.freeform) parts);
      definitions = map (p: { value = p.config; priority = plainPriority; }) parts;

      valueOf =
        path: option: defs:
        let
          given = concatLists (map discharge defs);
          fallback = if option ? default then [ { value = option.default; priority = defaultPriority; } ] else [ ];
        in
        if given == [ ] && fallback == [ ] then
          option.type.empty or (throw "the option ${path} has no value")
        else
          merge path option.type (given ++ fallback);

      # What is declared decides what there is, so that the value of one option
      # can decide about those of another.
      walk =
        path: declared: defs:
        let
          named = below (concatLists (map push defs));
        in
        mapAttrs (
          name: option:
          let
            full = if path == "" then name else "${path}.${name}";
            here = named.${name} or [ ];
          in
          if isType "option" option then valueOf full option here else walk full option here
        ) declared;
      undeclared =
        path: declared: defs:
        let
          named = below (concatLists (map push defs));
        in
        concatLists (
          map (
            name:
            let
              full = if path == "" then name else "${path}.${name}";
            in
            if !declared ? ${name} then
              [ full ]
            else if isType "option" declared.${name} then
              [ ]
            else
              undeclared full declared.${name} named.${name}
          ) (attrNames named)
        );
      unknown = undeclared prefix options definitions;
      free =
        if freeforms == [ ] then
          { }
        else
          removeAttrs ((head freeforms).merge prefix (map (d: d.value) (concatLists (map push definitions)))) (attrNames options);
      values = walk prefix options definitions // free;
    in
    {
      inherit options;
      config = if freeforms == [ ] && unknown != [ ] then throw "there is no option ${head unknown}" else values;
    };
in
{
  inherit types;
  evalModules = evaluate "";

  mkOption = option: option // { _type = "option"; };
  mkEnableOption = what: {
    _type = "option";
    type = types.bool;
    default = false;
    description = "Whether to enable ${what}.";
  };
  mkPackageOption = pkgs: name: _: {
    _type = "option";
    type = types.package;
    default = pkgs.${name};
  };
  mkIf = condition: content: {
    _type = "if";
    inherit condition content;
  };
  mkMerge = contents: {
    _type = "merge";
    inherit contents;
  };
  mkDefault = content: {
    _type = "override";
    priority = 1000;
    inherit content;
  };
  mkForce = content: {
    _type = "override";
    priority = 50;
    inherit content;
  };
  literalExpression = text: text;
}
