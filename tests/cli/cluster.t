Categories of a small suite: loads, stores, arithmetic, and rows without a category.

  $ { echo hex,apps,count,category; for i in 1 2 3 4; do printf '488b03488b4108488b5210488b4918,a;b,%s,old\n4889034889410848895210488979%s0,b,,\n4801d84829d84821d84809c8,a,1%s,\n' $i $i $i; done; echo 31c090,a,7,; echo 06,a,1,; echo zz,a,1,; } > $TMP/blocks.csv
  $ cd $TMP && tacho suite cluster -k 3 blocks.csv -o out.csv --model model.json
  tacho: blocks.csv: line 16: 'z' at offset 0 is not a hexadecimal digit; the row is left out
  tacho: 1 of 15 rows were left out: their code is not hexadecimal, or none
  tacho: 2 of 14 blocks have no category: no µop needs a port (1), or undecodable (1)
  blocks.csv: 12 blocks in 3 categories by the ports of their µops on HSW
  perplexity 2.7507 (2.1907 without the topics' own part) of 12 words; batch learning, 10 passes from the best of 10 starts, seed 1
  1 block has no category: no µop of it needs a port
  1 block has no category: it cannot be decoded
  
  category  blocks  % of blocks  % loads  % stores  % scalar  % vector  µops of its topic
  Scalar         4         33.3      0.0       0.0     100.0       0.0  p0156 95 %
  Ld             4         33.3    100.0       0.0       0.0       0.0  p23 95 %
  St             4         33.3      0.0     100.0       0.0       0.0  p4 49 %, p237 49 %
  
  category  description
  Scalar    mostly scalar arithmetic and control
  Ld        mostly loads
  St        mostly stores
  
  Categories by application, % of count
  application  blocks  Scalar     Ld   St
  a                 8    83.3   16.7  0.0
  b                 8     0.0  100.0  0.0
  all              12    83.3   16.7  0.0
  [3]
  $ cat $TMP/out.csv
  hex,app,count,category,category_note
  488b03488b4108488b5210488b4918,a;b,1,Ld,
  488903488941084889521048897910,b,,St,
  4801d84829d84821d84809c8,a,11,Scalar,
  488b03488b4108488b5210488b4918,a;b,2,Ld,
  488903488941084889521048897920,b,,St,
  4801d84829d84821d84809c8,a,12,Scalar,
  488b03488b4108488b5210488b4918,a;b,3,Ld,
  488903488941084889521048897930,b,,St,
  4801d84829d84821d84809c8,a,13,Scalar,
  488b03488b4108488b5210488b4918,a;b,4,Ld,
  488903488941084889521048897940,b,,St,
  4801d84829d84821d84809c8,a,14,Scalar,
  31c090,a,7,,no µop needs a port
  06,a,1,,not a valid instruction in 64-bit mode
  $ sed '/"lambda"/,/]/d' $TMP/model.json | head -45
  {
    "schema": "tacho-cluster-1",
    "arch": "HSW",
    "alpha": 0.33333333333333331,
    "beta": 0.076923076923076927,
    "method": "batch",
    "seed": "1",
    "starts": 10,
    "passes": 10,
    "blocks": 12,
    "documents": 3,
    "uops": 64.0,
    "perplexity": 2.750704549904059,
    "perplexity_blocks": 2.1907276626455787,
    "words": [
      "p0",
      "p1",
      "p01",
      "p23",
      "p4",
      "p5",
      "p15",
      "p015",
      "p6",
      "p06",
      "p0156",
      "p237"
    ],
    "topics": [
      {
        "name": "Scalar",
        "description": "mostly scalar arithmetic and control",
        "blocks": 4,
        "weight": 4.0,
        "uops": {
          "load": 0.0,
          "store_address": 0.0,
          "store_data": 0.0,
          "scalar": 16.0,
          "vector": 0.0
        },
      },
      {
        "name": "Ld",
        "description": "mostly loads",

The suite on standard output, the table on standard error; the same with any number of threads, and from a pipe.

  $ tacho suite cluster -k 3 --batch $TMP/blocks.csv -j 1 --model $TMP/one.json 2>/dev/null | cmp - $TMP/out.csv
  $ tacho suite cluster -k 3 -j 4 --model $TMP/four.json - < $TMP/blocks.csv 2>/dev/null | cmp - $TMP/out.csv
  $ cmp $TMP/one.json $TMP/model.json && cmp $TMP/four.json $TMP/model.json

Other blocks by the model, and the table in other forms.

  $ tacho suite classify $TMP/model.json examples/blocks.csv -o $TMP/other.csv
  blocks.csv: 3 blocks in 3 categories by the ports of their µops on HSW
  perplexity 871922.9560 (581748.0088 without the topics' own part) of 12 words; the model is of 12 other blocks
  
  category  blocks  % of blocks  % loads  % stores  % scalar  % vector  µops of its topic
  Scalar         3        100.0      0.0       0.0     100.0       0.0  p0156 95 %
  Ld             0          0.0                                         p23 95 %
  St             0          0.0                                         p4 49 %, p237 49 %
  
  category  description
  Scalar    mostly scalar arithmetic and control
  Ld        mostly loads
  St        mostly stores
  $ cat $TMP/other.csv
  hex,name,category,category_note
  4801d84801c349ffcf75f5,chain,Scalar,
  4889c3,move,Scalar,
  48f7f1,division,Scalar,
  $ tacho suite classify $TMP/model.json $TMP/blocks.csv -o $TMP/again.csv -f csv 2>/dev/null
  app,category,blocks,share,load,store,scalar,vector,words,description
  ,Scalar,4,0.333333,0,0,1,0,p0156 95 %,mostly scalar arithmetic and control
  ,Ld,4,0.333333,1,0,0,0,p23 95 %,mostly loads
  ,St,4,0.333333,0,1,0,0,"p4 49 %, p237 49 %",mostly stores
  a,Scalar,,0.833333,,,,,,
  a,Ld,,0.166667,,,,,,
  a,St,,0,,,,,,
  b,Scalar,,0,,,,,,
  b,Ld,,1,,,,,,
  b,St,,0,,,,,,
  [3]
  $ cmp $TMP/again.csv $TMP/out.csv
  $ tacho suite classify $TMP/model.json examples/blocks.csv -o $TMP/other.csv --json | head -40
  {
    "schema": "tacho-categories-1",
    "suite": "blocks.csv",
    "arch": "HSW",
    "trained": false,
    "rows": 3,
    "topics": 3,
    "without_words": 0,
    "undecodable": 0,
    "partly_known": 0,
    "uops": 36.0,
    "perplexity": 871922.956024,
    "perplexity_blocks": 581748.008835,
    "words": 12,
    "method": "batch",
    "starts": 10,
    "passes": 10,
    "seed": "1",
    "model_blocks": 12,
    "weight": null,
    "application_weight": null,
    "categories": [
      {
        "name": "Scalar",
        "description": "mostly scalar arithmetic and control",
        "blocks": 3,
        "share": 1.0,
        "weight": 3.0,
        "weight_share": 1.0,
        "load": 0.0,
        "store": 0.0,
        "scalar": 1.0,
        "vector": 0.0,
        "words": [
          {
            "ports": "p0156",
            "share": 0.949999997177
          }
        ]
      },
  $ tacho suite cluster -k 3 --weight count $TMP/blocks.csv -o $TMP/w.csv 2>/dev/null | sed -n '/^category/,/^$/p'
  category  blocks  % of blocks  % of weight  % loads  % stores  % scalar  % vector  topic
  Scalar         4         33.3         83.3      0.0       0.0     100.0       0.0  p0156 100 %
  Ld             4         33.3         16.7    100.0       0.0       0.0       0.0  p23 98 %
  Empty          4         33.3          0.0                                         p0156 76 %
  
  category  description
  Scalar    mostly scalar arithmetic and control
  Ld        mostly loads
  Empty     no block with weight is in it
  
  $ printf 'hex,app,count\n4801d8,a,\n488b03,a,\n' | tacho suite cluster -k 2 -o $TMP/none.csv | sed -n '/application/,$p'
  Categories by application, % of blocks
  application  blocks  Scalar    Ld
  a                 2    50.0  50.0
  all               2    50.0  50.0

Perplexity.

  $ tacho suite perplexity -k 2 --hold-out b $TMP/blocks.csv 2>/dev/null
  perplexity of 8 blocks (48 µops)
  
                                                     without the
  categories learned  from blocks  arch   perplexity    topics' part
  without them              4   HSW  475331.3897     437546.7042
  with them                12   HSW       3.4985          2.6555
  [3]
  $ tacho suite perplexity -k 2 --train $TMP/blocks.csv examples/blocks.csv -f csv 2>/dev/null
  name,arch,model_blocks,blocks,uops,perplexity,perplexity_blocks
  without them,HSW,12,3,36,1562321.025555,1081770.044764
  with them,HSW,15,3,36,14.756778,7.614812
  [3]
  $ tacho suite perplexity --model $TMP/model.json examples/blocks.csv --json | grep -v '"name"'
  {
    "schema": "tacho-perplexity-1",
    "blocks": 3,
    "without_words": 0,
    "undecodable": 0,
    "models": [
      {
        "arch": "HSW",
        "model_blocks": 12,
        "blocks": 3,
        "without_words": 0,
        "topics": 3,
        "uops": 36.0,
        "perplexity": 871922.956024,
        "perplexity_blocks": 581748.008835
      }
    ]
  }
  $ printf '4801d8\nc4e260f2c1\n' > $TMP/bmi.csv
  $ tacho suite cluster -a SNB -k 1 $TMP/bmi.csv --model $TMP/snb.json > /dev/null 2>&1
  [3]
  $ tacho suite cluster -a HSW -k 1 $TMP/bmi.csv --model $TMP/hsw.json > /dev/null 2>&1
  $ tacho suite perplexity --model $TMP/snb.json --model $TMP/hsw.json $TMP/bmi.csv -f csv 2>&1 | sed "s|$TMP/||g" | cut -d , -f 1-5
  tacho: note: not judged, as no µop needs a port: 1 of the blocks
  tacho: note: hsw.json: judges 2 blocks with a µop that needs a port on HSW
  name,arch,model_blocks,blocks,uops
  snb.json,SNB,1,1,1
  hsw.json,HSW,2,2,2

What is wrong is said.

  $ tacho suite cluster --json examples/blocks.csv
  tacho: --format: standard output has the suite; give it another place with -o FILE
  [2]
  $ tacho suite cluster --topics 65 examples/blocks.csv
  tacho: --topics is a whole number from 1 to 64, not '65'
  [2]
  $ tacho suite cluster --alpha 0 examples/blocks.csv
  tacho: --alpha is a number from 0.0001 to 1000, not '0'
  [2]
  $ tacho suite cluster --method magic examples/blocks.csv
  tacho: --method is batch|online, not 'magic'
  [2]
  $ tacho suite cluster -a all examples/blocks.csv
  tacho: -a: categories are of one microarchitecture
  [2]
  $ tacho suite cluster --plot out.pdf examples/blocks.csv
  tacho: --plot: the name of FILE says what is written: it must end in .svg or .png, not 'out.pdf'
  [2]
  $ tacho suite cluster --weight count examples/blocks.csv
  tacho: examples/blocks.csv: --weight: there is no column 'count'
  [1]
  $ tacho suite cluster --batch examples/blocks.csv examples/blocks.csv
  tacho: --batch FILE is the same as FILE: give one of them
  [2]
  $ printf 'hex,count\n90,1\n' | tacho suite cluster -
  tacho: standard input: no block has a µop on a port, and weight
  [1]
  $ printf 'hex,count\n4801d8,x\n' | tacho suite cluster --weight count
  tacho: standard input: line 2: count is a number from 0 to 1e+30, not 'x'
  [1]
  $ printf 'hex,w\n4801d8,1e308\n4889c3,1e308\n' | tacho suite cluster --weight w
  tacho: standard input: line 2: w is a number from 0 to 1e+30, not '1e308'
  [1]
  $ printf 'hex,w\n4801d8,1e30\n4889c3,1e30\n' | tacho suite cluster -k 1 --weight w -o $TMP/w.csv --json | grep -e '"uops"' -e '"perplexity'
    "uops": 2e30,
    "perplexity": 1.0,
    "perplexity_blocks": 1.0,
  $ printf 'hex,count\n4801d8,-1\n' | tacho suite cluster
  tacho: standard input: line 2: the count is a whole number, not '-1'
  [1]
  $ printf '' | tacho suite cluster
  tacho: standard input: there is nothing in it
  [1]
  $ tacho suite classify
  tacho: no MODEL; tacho suite cluster --model makes one
  [2]
  $ tacho suite classify absent.json examples/blocks.csv
  tacho: absent.json: cannot be read: No such file or directory
  [1]
  $ echo '{"schema": "tacho-cluster-1", "arch": "HSW"}' > $TMP/bad.json
  $ tacho suite classify $TMP/bad.json examples/blocks.csv 2>&1 | sed "s|$TMP/||"
  tacho: bad.json: no model of categories: 'words' is missing, or no list of 1 to 1023
  $ sed 's/"seed": "1"/"seed": "-1"/' $TMP/model.json > $TMP/bad.json
  $ tacho suite classify $TMP/bad.json examples/blocks.csv 2>&1 | sed "s|$TMP/||"
  tacho: bad.json: no model of categories: 'seed' is no whole number: '-1'
  $ tacho suite classify examples/blocks.csv examples/blocks.csv
  tacho: examples/blocks.csv: line 1: no JSON: '[' or '{' expected near 'hex'
  [1]
  $ tacho suite perplexity examples/blocks.csv
  tacho: one of --train FILE, --hold-out APPS and --model FILE says what to compare with
  [2]
  $ tacho suite perplexity --hold-out nobody $TMP/blocks.csv 2>&1 | sed "s|$TMP/||" | tail -1
  tacho: blocks.csv: no block is of the application 'nobody'
  $ tacho suite perplexity --hold-out a,b $TMP/blocks.csv 2>&1 | tail -1
  tacho: categories learned without them: no block has a µop on a port, and weight
  $ tacho suite perplexity --hold-out a examples/blocks.csv
  tacho: examples/blocks.csv: --hold-out needs a column 'app'
  [1]
  $ tacho suite perplexity --model $TMP/model.json --topics 3 examples/blocks.csv
  tacho: options of learning do not go with --model: a model has learned
  [2]
