"""Products, prices, coupons, promotion codes and shipping rates."""
