"""Reads two tables, writes one; then tries to write another and fails.

spark-submit sales.py SOURCES WAREHOUSE
"""

from __future__ import annotations

import sys

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

ORDERS = "order_id INT, customer_id INT, amount DOUBLE, status STRING"
CUSTOMERS = "customer_id INT, name STRING, country STRING"


def main(sources: str, warehouse: str) -> None:
    spark = SparkSession.builder.appName("sales").config("spark.sql.warehouse.dir", warehouse).getOrCreate()
    spark.read.schema(ORDERS).csv(f"{sources}/orders").createOrReplaceTempView("orders")
    spark.read.schema(CUSTOMERS).csv(f"{sources}/customers").createOrReplaceTempView("customers")
    revenue = spark.sql(
        """
        SELECT c.country, sum(o.amount) AS revenue, max(upper(c.name)) AS best
        FROM orders o JOIN customers c ON o.customer_id = c.customer_id
        WHERE o.status = 'paid' GROUP BY c.country
        """
    )
    revenue.write.saveAsTable("revenue")
    broken = spark.table("revenue").withColumn("share", f.raise_error("the report has no readers").cast("string"))
    try:
        broken.write.parquet(f"{warehouse}/report")
    except Py4JJavaError:
        print("the report failed, as it should")
    else:
        sys.exit("the report was written")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
